package testcontrol

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Loop is the loop over one kind of parents, between the work queue and the reconciles.
type Loop struct {
	Controller string
	Manager    string                                                 // the field manager of the operator's writes
	Label      string                                                 // of children: the parent's UID
	HashKey    string                                                 // annotation of children: what they were made from
	ParentOf   func(child client.Object) (uid types.UID, name string) // of a parent; empty for an object that is no child
	Parent     schema.GroupVersionKind
	Empty      client.Object // of the parent's kind, as the cache holds it
	Cache      client.Reader // of parents
	Children   []schema.GroupVersionKind
	Namespaces map[schema.GroupKind][]string // where children of a kind may lie, beside their parent's namespace
	Finalizer  string                        // that the operator puts on parents
	Kinds      []schema.GroupVersionKind     // of children, in the order of the definition
	// Describe returns a desired child of one of these kinds as a test sees it.
	Describe func(parent client.Object, kind int, desired declared.DesiredChild) (SyncChild, error)
	ReadKey  func(parent, object client.Object) (Child, error) // of a child that an author refers to by an object
	Run      reconcile.Func

	clock           *Clock
	control         *Control
	mu              sync.Mutex
	queue           workqueue.TypedRateLimitingInterface[reconcile.Request]
	isWorking       bool                          // its workers have started
	expectedParents map[types.NamespacedName]bool // parents that were added to the queue since their last reconcile began
	begunCount      int                           // reconciles
	runningCount    int
	parents         map[types.NamespacedName]*parentRecord
	events          map[string]bool               // that reconciles have recorded
	views           map[types.UID][]declared.View // by parent: of the last call of the author's code
}

// parentRecord is what is known of one parent's reconciles.
type parentRecord struct {
	begunCount, endedCount int
	isForced               bool        // the next reconcile is
	isInspected            bool        // the next reconcile calls Sync twice
	due                    time.Time   // zero: never, if nothing changes
	isStale                bool        // the last reconcile waits until the cache shows what the operator has written
	reconciles             []Reconcile // that did something
}

// Add adds the loop over one kind of parents.
func (c *Control) Add(loop *Loop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	loop.clock, loop.control = c.Clock, c
	loop.parents, loop.expectedParents = map[types.NamespacedName]*parentRecord{}, map[types.NamespacedName]bool{}
	loop.events, loop.views = map[string]bool{}, map[types.UID][]declared.View{}
	c.loops = append(c.loops, loop)
}

// Start is called with the work queue when the controller starts.
func (l *Loop) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = queue
	return nil
}

// Reconcile reconciles a parent and records how that ended.
func (l *Loop) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	r := l.beginReconcile(request)
	result, err := l.Run(context.WithValue(ctx, reconcileKey{}, r), request)
	if err != nil {
		r.Reason, r.Err = "Error", err
	}
	r.Requeue = result.RequeueAfter
	l.deliverRecord(request.NamespacedName, r)
	l.endReconcile(request, *r)
	l.control.noteChange(schema.GroupKind{}, types.NamespacedName{})
	return result, err
}

func (l *Loop) beginReconcile(request reconcile.Request) *Reconcile {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.parentOf(request.NamespacedName)
	r := &Reconcile{isForced: parent.isForced, isInspected: parent.isInspected, loop: l}
	parent.begunCount++
	parent.isForced, parent.isInspected = false, false
	delete(l.expectedParents, request.NamespacedName)
	l.begunCount++
	l.runningCount++
	return r
}

func (l *Loop) endReconcile(request reconcile.Request, r Reconcile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.parentOf(request.NamespacedName)
	parent.endedCount++
	parent.due = time.Time{}
	if r.Requeue > 0 {
		parent.due = l.clock.Now().Add(r.Requeue)
	}
	r.record = Record{} // which can be large
	if !r.IsDelayed {
		parent.isStale = r.IsStale
		parent.reconciles = append(parent.reconciles, r)
	}
	l.runningCount--
}

// parentOf returns what is known of a parent; the caller holds the lock.
func (l *Loop) parentOf(name types.NamespacedName) *parentRecord {
	found, ok := l.parents[name]
	if !ok {
		found = new(parentRecord)
		l.parents[name] = found
	}
	return found
}

// Force has a parent reconciled whatever became of the last reconcile. It reports false while
// the loop has not started. done returns that reconcile once it has ended.
func (l *Loop) Force(name types.NamespacedName) (done func() (Reconcile, bool), ok bool) {
	queue, done := l.orderReconcile(name)
	if queue == nil {
		return nil, false
	}
	queue.Add(reconcile.Request{NamespacedName: name})
	return done, true
}

// orderReconcile records that the next reconcile of a parent is forced. It returns the queue
// to add the parent to; nil while the loop has not started.
func (l *Loop) orderReconcile(name types.NamespacedName) (workqueue.TypedRateLimitingInterface[reconcile.Request], func() (Reconcile, bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.parentOf(name)
	parent.isForced = l.queue != nil
	awaited := parent.begunCount + 1 // one that runs already does not count
	before := len(parent.reconciles)
	return l.queue, func() (Reconcile, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if parent.endedCount < awaited || len(parent.reconciles) <= before {
			return Reconcile{}, false
		}
		return parent.reconciles[len(parent.reconciles)-1], true
	}
}

// expectRequests records parents that were added to the queue.
func (l *Loop) expectRequests(items []reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, item := range items {
		l.expectedParents[item.NamespacedName] = true
	}
}

// Busy returns what the loop is about to do: a reconcile that runs, is queued, or is due
// within a time. It returns an empty text if there is none.
func (l *Loop) Busy(within time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.isWorking:
		return "has not started"
	case l.runningCount > 0:
		return "reconciles a parent"
	}
	for name := range l.expectedParents {
		return "has queued a reconcile of " + name.String()
	}
	if l.queue.Len() > 0 {
		return "has queued a reconcile"
	}
	for name, parent := range l.parents {
		if parent.isStale && !parent.due.IsZero() {
			return "waits for its cache to reconcile " + name.String()
		}
		if left := parent.due.Sub(l.clock.Now()); !parent.due.IsZero() && left < within {
			return fmt.Sprintf("is to reconcile %s in %s", name, left.Round(time.Millisecond))
		}
	}
	return ""
}

// Begun returns how many reconciles have begun.
func (l *Loop) Begun() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begunCount
}

// Reconciles returns the reconciles of a parent that did something, in their order.
func (l *Loop) Reconciles(name types.NamespacedName) []Reconcile {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.parentOf(name).reconciles)
}

// Due returns the parent whose next reconcile is the first of those due until a time.
func (l *Loop) Due(until time.Time) (name types.NamespacedName, when time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for candidate, parent := range l.parents {
		if parent.due.IsZero() || parent.due.After(until) || ok && parent.due.After(when) {
			continue
		}
		name, when, ok = candidate, parent.due, true
	}
	return name, when, ok
}

// Started reports whether the loop's workers have started, so that its caches are
// filled.
func (l *Loop) Started() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isWorking
}

func (l *Loop) setWorking() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isWorking = true
}

// Known returns the parents that were reconciled, in the order of their names.
func (l *Loop) Known() []types.NamespacedName {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Keys(l.parents), func(a, b types.NamespacedName) int {
		return strings.Compare(a.String(), b.String())
	})
}
