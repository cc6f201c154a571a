package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// A child that leaves the cache is gone, or has lost its marks: the watch shows both as a deletion.
// Sync must not take a Secret for absent that only lacks its label, since it would make a new
// password. So what may have lost its marks is looked up before Sync is called, gets them back, and
// is in the snapshot.
//
// A Sync that does not look at the snapshot of a kind cannot be misled by it. For such kinds the
// create of the child shows if it is gone, without another request. If Sync looks at the
// snapshot for once, or does not desire the child any more, the child is looked up before anything
// of the answer is carried out.

// lookAgain is how long an object is shown as it was read, while its marks are not restored: it is in
// no watch, and each look costs a request.
const lookAgain = 30 * time.Second

// errMarksRemoved is the error of a child whose marks somebody keeps removing.
type errMarksRemoved struct {
	key     apply.Key
	manager string
}

func (e errMarksRemoved) Error() string {
	return fmt.Sprintf("%s: %s keeps changing the labels, annotations or owner references that make it a child, and they are restored less and less often until that stops",
		e.key, cmp.Or(e.manager, "somebody"))
}

// errRestored says that a child exists which the author's code took for absent, and that the next
// reconcile will observe it: the rest of the answer is dropped.
type errRestored struct{ key apply.Key }

func (e errRestored) Error() string { return e.key.String() + " exists, and was taken for absent" }

// restorer gives children the marks back that they have lost.
type restorer struct {
	*subject
	calls  *caller
	writer *writer
	err    error // of children whose marks somebody keeps removing
}

// restoreBeforeCall adds the children that have lost their marks to those that are observed, and gives
// them their marks back: those of missing, which were missing before the others were observed, at
// whose kinds the author's code may look, by its last call; and those of which a mark is left.
func (r *restorer) restoreBeforeCall(ctx context.Context, observed *observed, missing []child) error {
	candidates := slices.Concat(missing, observed.unmarked)
	r.state.missing.forgetLooks(r.now, candidates)
	if len(candidates) == 0 {
		return nil
	}
	reads, isObserved := r.state.reads, observed.uids()
	for _, child := range candidates {
		if isObserved[child.object.GetUID()] {
			r.state.missing.drop(child)
			continue
		}
		if reads != nil && !reads[child.index].Load() && !r.isFinalizing() || r.isCollectedFirst(child) {
			continue
		}
		object, err := r.restoreChild(ctx, child)
		if err != nil {
			return err
		}
		if object == nil {
			r.state.missing.drop(child)
			continue
		}
		observed.add(child.childKind, object)
	}
	return nil
}

// restoreAfterCall gives those missing children their marks back at which the author's code has looked,
// and those that it does not desire. The create shows what became of the others. It returns
// errRestored if the code took one of them for absent.
func (r *restorer) restoreAfterCall(ctx context.Context, observed *observed, sets []declared.DesiredSet) error {
	r.state.reads = r.calls.reads
	missing := r.state.missing.list()
	if len(missing) == 0 {
		return nil
	}
	isObserved, desired := observed.uids(), r.namesOf(sets)
	var restored error
	for _, child := range missing {
		if isObserved[child.object.GetUID()] || desired[child.key()] && !r.calls.readsOf(child.childKind).Load() || r.isCollectedFirst(child) {
			continue
		}
		object, err := r.restoreChild(ctx, child)
		switch {
		case err != nil:
			return err
		case object == nil:
			r.state.missing.drop(child)
		default:
			r.calls.readsOf(child.childKind).Store(true) // so that the next reconcile looks before the call
			restored = errRestored{child.key()}
		}
	}
	return restored
}

// restoreDependents restores children that come after others, once in a process. Their create would
// come too late to show that they only have lost their marks: what they come after would have been
// changed before. It returns errRestored if there was one.
func (r *restorer) restoreDependents(ctx context.Context, observed *observed, tasks []task) error {
	if r.state.lookedUp {
		return nil
	}
	if !observed.isEmpty() {
		dependents := slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return !t.hasDependencies() })
		if err := r.restoreUnobserved(ctx, dependents); err != nil {
			return err
		}
	}
	r.state.lookedUp = true
	return nil
}

// restoreUnobserved gives those children of tasks their marks back that exist, though Sync took them
// for absent. It returns errRestored if there was one.
func (r *restorer) restoreUnobserved(ctx context.Context, tasks []task) (restored error) {
	for _, task := range tasks {
		if task.observed != nil {
			continue
		}
		current := task.kind.newObject()
		err := r.loop.liveReader.Get(ctx, task.Name, current)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return errChild{key: task.Key(), err: err}
		}
		if !r.hasLostMarks(current, false) {
			continue
		}
		if err := r.waitForChild(ctx, task, current); err != nil {
			return err
		}
		restored = errRestored{task.Key()}
	}
	return restored
}

// namesOf returns the names of the children that Sync desires. It leaves out invalid ones.
func (r *restorer) namesOf(sets []declared.DesiredSet) map[apply.Key]bool {
	names := map[apply.Key]bool{}
	for _, kind := range r.loop.childKinds {
		if sets == nil {
			break
		}
		for _, desired := range sets[kind.index].Children {
			if name, _, err := r.loop.identifyDesired(r.parent.GetNamespace(), kind, desired); err == nil {
				names[apply.Key{Kind: kind.GroupVersionKind, Name: name}] = true
			}
		}
	}
	return names
}

// restoreChild reads what may be a child without its marks live, gives them back, and returns it. It
// returns nil for an object that is gone, or is not this parent's.
func (r *restorer) restoreChild(ctx context.Context, unmarked child) (client.Object, error) {
	uid := unmarked.object.GetUID()
	last := r.state.missing.lookAt(uid)
	switch {
	case last.isOther == unmarked.object.GetResourceVersion():
		return nil, nil
	case last.unmarked != nil && r.now.Sub(last.readAt) < lookAgain:
		r.err = errors.Join(r.err, last.removed)
		return last.unmarked, nil
	}
	current := unmarked.newObject()
	err := r.loop.liveReader.Get(ctx, unmarked.name, current)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, errChild{key: unmarked.key(), err: last.budget.Fail(r.now, "", uid, err)}
	}
	if current.GetUID() != uid || !r.hasLostMarks(current, r.isChild(unmarked)) {
		last.isOther = current.GetResourceVersion()
		return nil, nil
	}
	// A parent that is deleted with --cascade=orphan loses its references on purpose.
	if err := r.checkUnchanged(ctx); err != nil {
		return nil, err
	}
	if r.isDeleting() && ownership.HasOwnerReference(unmarked.object, r.parent.GetUID()) && !unmarked.ForbidDisconnect {
		return nil, nil
	}
	object, err := r.restoreMarks(ctx, unmarked.childKind, current, r.marksAsBefore(unmarked))
	last.unmarked = nil
	if removed, ok := errors.AsType[errMarksRemoved](err); ok { // it is shown without them
		last.unmarked, last.readAt, last.removed = object, r.now, removed
		r.err, err = errors.Join(r.err, removed), nil
	}
	return object, err
}

// marksAsBefore returns the metadata that gives a child the marks that it had. One that has neither an
// owner reference nor the annotation gets what the policies of its kind say.
func (r *restorer) marksAsBefore(unmarked child) map[string]any {
	keys, policy := r.loop.childCache.keys, r.loop.policiesOf(unmarked).WhenDeleted
	byReference := ownership.HasOwnerReference(unmarked.object, r.parent.GetUID()) && !unmarked.ForbidDisconnect ||
		keys.ParentName(unmarked.object) == "" && r.getsOwnerReference(unmarked.childKind, unmarked.name, policy)
	return keys.Ownership(r.owner(), byReference, unmarked.object.GetAnnotations()[keys.WhenRemoved], unmarked.As)
}

// restoreMarks writes the marks of a child to an object that has lost them, and changes nothing else
// in it. It returns the object as it is now. If the object does not keep them, that is a field manager
// conflict: the error is errMarksRemoved, beside the object.
//
// An object that somebody has recreated has the marks. Its other fields are taken over, and it loses its hash, so that it is
// written whole.
func (r *restorer) restoreMarks(ctx context.Context, kind *childKind, current client.Object, marks map[string]any) (client.Object, error) {
	key, budget := kind.newChild(current).key(), &r.state.missing.lookAt(current.GetUID()).budget
	var from []string
	if r.isRecreatedByOthers(current) {
		from = []string{r.loop.childCache.copiedBy(current)}
		marks["annotations"].(map[string]any)[r.loop.childCache.keys.Hash] = nil
	}
	object, conflict, err := kind.applier.RestoreMarks(ctx, r.now, budget, key, current, r.parent.GetUID(), marks, from...)
	switch {
	case err != nil:
		return nil, errChild{key: key, err: err}
	case conflict != nil:
		return object, errMarksRemoved{key, conflict.Manager}
	}
	if !r.isMarked(object) || r.isRecreatedByOthers(object) { // admission keeps others
		return object, errMarksRemoved{key: key}
	}
	if len(from) > 0 {
		r.recordEvent(corev1.EventTypeNormal, reasonTakenOver, truncateText(fmt.Sprintf("%s, which %s recreated under the name of a child, is the child again", key, from[0])))
	}
	r.writer.recordChildWrite(kind, key.String(), object)
	r.loop.environment.Metrics.CountDrift(r.loop.definition.Name, kind.Kind)
	return object, nil
}

// waitForChild has the next reconcile of the parent wait until the cache shows a child that exists, and
// that Sync took for absent. It gives the child back the marks by which the cache shows it.
func (r *restorer) waitForChild(ctx context.Context, t task, child client.Object) error {
	if r.isMarked(child) && !r.isRecreatedByOthers(child) {
		r.writer.recordChildWrite(t.kind, t.Key().String(), child)
		return nil
	}
	r.state.missing.add(t.kind.newChild(child)) // for the case that the marks do not last
	_, err := r.restoreMarks(ctx, t.kind, child, r.marksFor(t, child))
	return err
}

// marksFor returns the metadata that makes an object which has lost its marks the child that is
// desired. Where an apply changes the deletion policy of a child, it is left to that.
func (r *restorer) marksFor(t task, object client.Object) map[string]any {
	if rules := t.Update.Rules(); !rules.RepairsDrift || !rules.WritesChanges {
		return t.Ownership()
	}
	keys := r.loop.childCache.keys
	return keys.Ownership(r.owner(), t.byReference, object.GetAnnotations()[keys.WhenRemoved], t.kind.As)
}
