package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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

// missingChildren are the children of a parent that have left the cache, or are children no more, and
// that the operator did not remove. Event handlers add to it while reconciles read it.
type missingChildren struct {
	mu      sync.Mutex
	missing map[types.UID]child
	removed map[types.UID]bool // by the operator; each until its event comes
	looked  map[types.UID]*look
	expired map[apply.Key]bool // whether the last object of a name was an expired Job; see expired.go
}

// look is what a reconcile remembers of an object that may be a child which has lost its marks.
type look struct {
	budget   backoff.Budget // of the writes of its marks
	isOther  string         // the version at which it was found to be no child of this parent
	unmarked client.Object  // as it was read, while its marks are not restored since somebody removes them
	readAt   time.Time
	removed  errMarksRemoved // why they are not
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
	if isExpired(before.object) {
		if l.expired == nil {
			l.expired = map[apply.Key]bool{}
		}
		l.expired[before.key()] = true
	} else {
		delete(l.expired, before.key())
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

// drop forgets a child that is gone, or is a child again, unless it was missing once more meanwhile.
func (l *missingChildren) drop(found child) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if uid := found.object.GetUID(); l.missing[uid].object == found.object {
		delete(l.missing, uid)
	}
}

// dropBefore forgets the missing children of a name before the one that was created under it now. That one may have left the
// cache already.
func (l *missingChildren) dropBefore(key apply.Key, created types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.missing, func(uid types.UID, missing child) bool { return missing.key() == key && uid != created })
}

// list returns the missing children, in the order of their kinds and names.
func (l *missingChildren) list() []child {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.missing), func(a, b child) int {
		return cmp.Or(cmp.Compare(a.index, b.index), strings.Compare(a.name.String(), b.name.String()))
	})
}

// lookAt returns what is remembered of an object.
func (l *missingChildren) lookAt(uid types.UID) *look {
	if l.looked == nil {
		l.looked = map[types.UID]*look{}
	}
	if l.looked[uid] == nil {
		l.looked[uid] = new(look)
	}
	return l.looked[uid]
}

// forgetLooks forgets what is remembered of objects that are not in question any more.
func (l *missingChildren) forgetLooks(now time.Time, candidates []child) {
	maps.DeleteFunc(l.looked, func(uid types.UID, last *look) bool {
		isCandidate := slices.ContainsFunc(candidates, func(c child) bool { return c.object.GetUID() == uid })
		return !isCandidate && last.budget.IsIdle(now)
	})
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

// noteMissing notes a missing child also of a parent that was not reconciled yet. The event causes
// that reconcile, which forgets the state if there is no such parent. Other parents cause none.
func (l *loop) noteMissing(kind *childKind, parent ownership.Parent, object client.Object) {
	if !l.worksOn(parent) {
		return
	}
	state := l.states.get(parent.Name)
	if state == nil {
		state = l.states.getOrAdd(parent.Name, parent.UID)
	}
	if state.uid == parent.UID {
		state.missing.add(kind.entryOf(object).newChild(object))
	}
}
