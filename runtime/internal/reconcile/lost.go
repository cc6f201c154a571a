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
// password. So a lost child is looked up before Sync is called, and gets its marks back.
//
// A Sync that does not look at the snapshot of a kind cannot be misled by it. For such kinds the
// create of the child tells whether it is gone, without another request. If Sync looks at the
// snapshot for once, or does not desire the child any more, the child is looked up before anything
// of the answer is carried out.

// lostChildren are the children of a parent that have left the cache, or are children no more, and
// that the operator did not remove. Event handlers add to it while reconciles read it.
type lostChildren struct {
	mu      sync.Mutex
	lost    map[types.UID]child
	removed map[types.UID]bool // by the operator; each until its event comes
	budgets map[types.UID]*backoff.Budget
}

// add notes a child as it was before it was lost.
func (l *lostChildren) add(before child) {
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
	if l.lost == nil {
		l.lost = map[types.UID]child{}
	}
	l.lost[uid] = before
}

// expect notes that the operator itself has removed a child.
func (l *lostChildren) expect(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, came := l.lost[uid]; came {
		delete(l.lost, uid)
		return
	}
	if l.removed == nil {
		l.removed = map[types.UID]bool{}
	}
	l.removed[uid] = true
}

// drop forgets a child that is gone, or is a child again.
func (l *lostChildren) drop(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.lost, uid)
}

// dropKey forgets the lost children of a name, which exists again.
func (l *lostChildren) dropKey(key apply.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.lost, func(_ types.UID, lost child) bool { return lost.key() == key })
}

// list returns the lost children, in the order of their kinds and names.
func (l *lostChildren) list() []child {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.lost), func(a, b child) int {
		return cmp.Or(cmp.Compare(a.index, b.index), strings.Compare(a.name.String(), b.name.String()))
	})
}

// budgetOf returns the budget by which the marks of a child are restored.
func (l *lostChildren) budgetOf(uid types.UID) *backoff.Budget {
	if l.budgets == nil {
		l.budgets = map[types.UID]*backoff.Budget{}
	}
	if l.budgets[uid] == nil {
		l.budgets[uid] = new(backoff.Budget)
	}
	return l.budgets[uid]
}

// lossHandler notes children that are lost, before it handles an event.
type lossHandler struct {
	handler.EventHandler
	loop *loop
	kind *childKind
}

// Update notes an object that was a child before.
func (h lossHandler) Update(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	before, was := h.kind.parentOf(e.ObjectOld)
	after, is := h.kind.parentOf(e.ObjectNew)
	if was && (!is || before.UID != after.UID || before.Name != after.Name) {
		h.loop.noteLost(h.kind, before, e.ObjectOld)
	}
	h.EventHandler.Update(ctx, e, queue)
}

// Delete notes an object that was a child.
func (h lossHandler) Delete(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	if parent, was := h.kind.parentOf(e.Object); was {
		h.loop.noteLost(h.kind, parent, e.Object)
	}
	h.EventHandler.Delete(ctx, e, queue)
}

func (l *loop) noteLost(kind *childKind, parent ownership.Parent, object client.Object) {
	if state := l.states.get(parent.Name); state != nil && state.uid == parent.UID {
		state.lost.add(newChild(kind, object))
	}
}

// errLostMarks is the error of a child whose marks somebody keeps removing.
type errLostMarks struct {
	key     apply.Key
	manager string
}

func (e errLostMarks) Error() string {
	return fmt.Sprintf("%s: %s keeps changing the labels, annotations or owner references that make it a child, and they are restored less and less often until that stops",
		e.key, cmp.Or(e.manager, "somebody"))
}

// restoreBeforeCall restores the lost children at which the author's code may look. It looks at the
// same kinds as in the call before.
func restoreBeforeCall(ctx context.Context, r *run, observed *observed) (isStale bool, err error) {
	reads := r.state.reads
	return restoreLost(ctx, r, observed, append(r.state.lost.list(), observed.unlabelled...), func(lost child) bool {
		return reads == nil || reads[lost.index].Load() || r.isFinalizing()
	})
}

// restoreAfterCall restores the lost children at which the author's code has looked, and those that
// it does not desire. The create shows what became of the others.
func restoreAfterCall(ctx context.Context, r *run, observed *observed, sets []DesiredSet) (isStale bool, err error) {
	r.state.reads = r.reads
	lost := r.state.lost.list()
	if len(lost) == 0 {
		return false, nil
	}
	desired := namesOf(r, sets)
	return restoreLost(ctx, r, observed, lost, func(lost child) bool {
		return r.readsOf(lost.childKind).Load() || !desired[lost.key()]
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

// restoreLost gives lost children that still exist their marks back, if they are of concern. It
// reports whether the cache does not show such a child yet: Sync runs when it does.
func restoreLost(ctx context.Context, r *run, observed *observed, lost []child, concerns func(child) bool) (isStale bool, err error) {
	if len(lost) == 0 {
		return false, nil
	}
	known := map[types.UID]bool{}
	for _, child := range observed.all() {
		known[child.object.GetUID()] = true
	}
	for _, child := range lost {
		uid := child.object.GetUID()
		if known[uid] {
			r.state.lost.drop(uid)
			continue
		}
		if !concerns(child) {
			continue
		}
		restored, err := restoreChild(ctx, r, child)
		if err != nil {
			return isStale, err
		}
		if !restored {
			r.state.lost.drop(uid)
		}
		isStale = isStale || restored
	}
	return isStale, nil
}

// restoreChild reads a lost child live, and gives it its marks back. It reports false for one that
// is gone, or is not this parent's any more.
func restoreChild(ctx context.Context, r *run, lost child) (bool, error) {
	current := lost.newObject()
	err := r.loop.liveReader.Get(ctx, lost.name, current)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, errChild{key: lost.key(), err: err}
	}
	uid := lost.object.GetUID()
	_, wasChild := lost.parentOf(lost.object)
	if current.GetUID() != uid || !r.hasLostMarks(current, wasChild) {
		return false, nil
	}
	// A parent that is deleted with --cascade=orphan loses its references on purpose.
	if isStale, err := r.hasChangedLive(ctx); isStale || err != nil {
		return true, err
	}
	if r.isDeleting() && ownership.HasOwnerReference(lost.object, r.parent.GetUID()) {
		return false, nil
	}
	budget := r.state.lost.budgetOf(uid)
	conflict, _ := budget.Delay(r.now, func() (backoff.Conflict, error) { // which returns no error
		return backoff.Conflict{Manager: ownership.LastWriter(current, r.loop.manager)}, nil
	})
	if conflict != nil {
		r.statusConflict = conflict
		return true, errLostMarks{lost.key(), conflict.Manager}
	}
	if err := restoreMarks(ctx, r, lost.childKind, current, r.marksAsBefore(lost)); err != nil {
		return true, err
	}
	budget.Spend(r.now)
	return true, nil
}

// marksAsBefore returns the metadata that gives a lost child the marks that it had.
func (r *run) marksAsBefore(lost child) map[string]any {
	keys := r.loop.childCache.keys
	byReference := ownership.HasOwnerReference(lost.object, r.parent.GetUID())
	return keys.Ownership(r.owner(), byReference, lost.object.GetAnnotations()[keys.WhenRemoved])
}

// restoreMarks writes the marks of a child to an object that has lost them, and changes nothing else
// in it. The next reconcile does the rest, since it observes the child.
func restoreMarks(ctx context.Context, r *run, kind *childKind, current client.Object, marks map[string]any) error {
	key := newChild(kind, current).key()
	restored, err := kind.applier.RestoreMarks(ctx, key, current, r.parent.GetUID(), marks)
	if err != nil {
		return errChild{key: key, err: err}
	}
	r.recordChildWrite(kind, key.String(), restored)
	r.loop.environment.Metrics.CountDrift(r.loop.definition.Name, kind.Kind)
	return nil
}
