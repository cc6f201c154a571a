package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// A child that leaves the cache is gone, or has lost its marks: the watch shows both as a deletion.
// Sync must not take a Secret for absent that only lacks its label, since it would make a new
// password. So a missing child is looked up before Sync is called, and gets its marks back.
//
// A Sync that does not look at the snapshot of a kind cannot be misled by it. For such kinds the
// create of the child shows if it is gone, without another request. If Sync looks at the
// snapshot for once, or does not desire the child any more, the child is looked up before anything
// of the answer is carried out.

// missingChildren are the children of a parent that have left the cache, or are children no more, and
// that the operator did not remove. Event handlers add to it while reconciles read it.
type missingChildren struct {
	mu      sync.Mutex
	missing map[types.UID]child
	removed map[types.UID]bool // by the operator; each until its event comes
	budgets map[types.UID]*backoff.Budget
}

// add notes a child as it was before it was missing.
func (l *missingChildren) add(before child) {
	l.mu.Lock()
	defer l.mu.Unlock()
	uid := before.object.GetUID()
	if l.removed[uid] {
		delete(l.removed, uid)
		return
	}
	if before.object.GetDeletionTimestamp() != nil {
		return
	}
	if l.missing == nil {
		l.missing = map[types.UID]child{}
	}
	l.missing[uid] = before
}

// expect notes that the operator itself has removed a child.
func (l *missingChildren) expect(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, came := l.missing[uid]; came {
		delete(l.missing, uid)
		return
	}
	if l.removed == nil {
		l.removed = map[types.UID]bool{}
	}
	l.removed[uid] = true
}

// drop forgets a child that is gone, or is a child again.
func (l *missingChildren) drop(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.missing, uid)
}

// dropKey forgets the missing children of a name, which exists again.
func (l *missingChildren) dropKey(key apply.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.missing, func(_ types.UID, missing child) bool { return missing.key() == key })
}

// list returns the missing children, in the order of their kinds and names.
func (l *missingChildren) list() []child {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.missing), func(a, b child) int {
		return cmp.Or(cmp.Compare(a.index, b.index), strings.Compare(a.name.String(), b.name.String()))
	})
}

// budgetOf returns the budget by which the marks of a child are restored.
func (l *missingChildren) budgetOf(uid types.UID) *backoff.Budget {
	if l.budgets == nil {
		l.budgets = map[types.UID]*backoff.Budget{}
	}
	if l.budgets[uid] == nil {
		l.budgets[uid] = new(backoff.Budget)
	}
	return l.budgets[uid]
}

// missingHandler notes children that are missing, before it handles an event.
type missingHandler struct {
	handler.EventHandler
	loop *loop
	kind *childKind
}

// Update notes an object that was a child before.
func (h missingHandler) Update(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	before, was := h.kind.parentOf(e.ObjectOld)
	after, is := h.kind.parentOf(e.ObjectNew)
	if was && (!is || before.UID != after.UID || before.Name != after.Name) {
		h.loop.noteMissing(h.kind, before, e.ObjectOld)
	}
	h.EventHandler.Update(ctx, e, queue)
}

// Delete notes an object that was a child.
func (h missingHandler) Delete(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	if parent, was := h.kind.parentOf(e.Object); was {
		h.loop.noteMissing(h.kind, parent, e.Object)
	}
	h.EventHandler.Delete(ctx, e, queue)
}

func (l *loop) noteMissing(kind *childKind, parent ownership.Parent, object client.Object) {
	if state := l.states.get(parent.Name); state != nil && state.uid == parent.UID {
		state.missing.add(newChild(kind, object))
	}
}

// errMarksRemoved is the error of a child whose marks somebody keeps removing.
type errMarksRemoved struct {
	key     apply.Key
	manager string
}

func (e errMarksRemoved) Error() string {
	return fmt.Sprintf("%s: %s keeps changing the labels, annotations or owner references that make it a child, and they are restored less and less often until that stops",
		e.key, cmp.Or(e.manager, "somebody"))
}

// restoreBeforeCall restores the missing children at which the author's code may look. It looks at the
// same kinds as in the call before.
func restoreBeforeCall(ctx context.Context, r *run, observed *observed) (isStale bool, err error) {
	reads := r.state.reads
	return restoreMissing(ctx, r, observed, append(r.state.missing.list(), observed.unlabelled...), func(missing child) bool {
		return reads == nil || reads[missing.index].Load() || r.isFinalizing()
	})
}

// restoreAfterCall restores the missing children at which the author's code has looked, and those that
// it does not desire. The create shows what became of the others.
func restoreAfterCall(ctx context.Context, r *run, observed *observed, sets []DesiredSet) (isStale bool, err error) {
	r.state.reads = r.reads
	missing := r.state.missing.list()
	if len(missing) == 0 {
		return false, nil
	}
	desired := namesOf(r, sets)
	return restoreMissing(ctx, r, observed, missing, func(missing child) bool {
		return r.readsOf(missing.childKind).Load() || !desired[missing.key()]
	})
}

// namesOf returns the names of the children that Sync desires. It leaves out invalid ones.
func namesOf(r *run, sets []DesiredSet) map[apply.Key]bool {
	names := map[apply.Key]bool{}
	for _, kind := range r.loop.childKinds {
		if sets == nil {
			break
		}
		for _, desired := range sets[kind.index].Children {
			if isNil(desired.source()) {
				continue
			}
			stated, _, err := readIdentity(desired)
			if err != nil {
				continue
			}
			if name, err := completeName(r.loop, r.parent.GetNamespace(), kind, stated); err == nil {
				names[apply.Key{Kind: kind.GroupVersionKind, Name: name}] = true
			}
		}
	}
	return names
}

// errRestored says that a desired child has got its marks back.
type errRestored struct{ error }

// restoreMissing gives missing children that still exist their marks back, if they are of concern. It
// reports whether the cache does not show such a child yet: Sync runs when it does.
func restoreMissing(ctx context.Context, r *run, observed *observed, missing []child, concerns func(child) bool) (isStale bool, err error) {
	if len(missing) == 0 {
		return false, nil
	}
	known := map[types.UID]bool{}
	for _, child := range observed.all() {
		known[child.object.GetUID()] = true
	}
	for _, child := range missing {
		uid := child.object.GetUID()
		if known[uid] {
			r.state.missing.drop(uid)
			continue
		}
		if !concerns(child) || isDeletedInForeground(r, child) {
			continue
		}
		restored, err := restoreChild(ctx, r, child)
		if err != nil {
			return isStale, err
		}
		if !restored {
			r.state.missing.drop(uid)
		}
		isStale = isStale || restored
	}
	return isStale, nil
}

// restoreChild reads a missing child live, and gives it its marks back. It reports false for one that
// is gone, or is not this parent's any more.
func restoreChild(ctx context.Context, r *run, missing child) (bool, error) {
	current := missing.newObject()
	err := r.loop.liveReader.Get(ctx, missing.name, current)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, errChild{key: missing.key(), err: err}
	}
	uid := missing.object.GetUID()
	_, wasChild := missing.parentOf(missing.object)
	if current.GetUID() != uid || !r.hasLostMarks(current, wasChild) {
		return false, nil
	}
	// A parent that is deleted with --cascade=orphan loses its references on purpose.
	if isStale, err := r.hasChangedLive(ctx); isStale || err != nil {
		return true, err
	}
	if r.isDeleting() && ownership.HasOwnerReference(missing.object, r.parent.GetUID()) {
		return false, nil
	}
	return true, restoreMarks(ctx, r, missing.childKind, current, r.marksAsBefore(missing))
}

// marksAsBefore returns the metadata that gives a missing child the marks that it had.
func (r *run) marksAsBefore(missing child) map[string]any {
	keys := r.loop.childCache.keys
	byReference := ownership.HasOwnerReference(missing.object, r.parent.GetUID())
	return keys.Ownership(r.owner(), byReference, missing.object.GetAnnotations()[keys.WhenRemoved])
}

// restoreMarks writes the marks of a child to an object that has lost them, and changes nothing else
// in it. The next reconcile does the rest, since it observes the child. Who keeps removing them is
// a field manager conflict.
func restoreMarks(ctx context.Context, r *run, kind *childKind, current client.Object, marks map[string]any) error {
	key, budget := newChild(kind, current).key(), r.state.missing.budgetOf(current.GetUID())
	conflict, _ := budget.Delay(r.now, func() (backoff.Conflict, error) { // which returns no error
		return backoff.Conflict{Manager: ownership.LastWriter(current, r.loop.manager)}, nil
	})
	if conflict != nil {
		return errMarksRemoved{key, conflict.Manager}
	}
	restored, err := kind.applier.RestoreMarks(ctx, key, current, r.parent.GetUID(), marks)
	if err != nil {
		return errChild{key: key, err: err}
	}
	budget.Spend(r.now)
	r.recordChildWrite(kind, key.String(), restored)
	r.loop.environment.Metrics.CountDrift(r.loop.definition.Name, kind.Kind)
	return nil
}
