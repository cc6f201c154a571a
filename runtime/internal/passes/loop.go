package passes

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
)

// Loop is the loop over one kind of parents. It stands between the work queue
// and the passes.
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
	Finalizer  string // that the operator puts on parents
	Run        Run

	clock    *Clock
	control  *Control
	mu       sync.Mutex
	queue    workqueue.TypedRateLimitingInterface[reconcile.Request]
	working  bool                          // its workers have started
	expected map[types.NamespacedName]bool // parents that were added to the queue since their last pass began
	begun    int                           // passes
	running  int
	parents  map[types.NamespacedName]*parent
	events   map[string]bool // that passes have recorded
}

// parent is what is known of one parent's passes.
type parent struct {
	begun, ended int
	forced       bool      // the next pass is
	inspected    bool      // the next pass calls Sync twice
	due          time.Time // zero: never, if nothing changes
	passes       []Pass    // that did something
}

// Start is called with the work queue when the controller starts.
func (l *Loop) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = queue
	return nil
}

// Reconcile runs a pass and notes how it ended.
func (l *Loop) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	pass := l.begin(request)
	result, err := l.Run(ctx, request, pass)
	if err != nil {
		pass.Failed("Error", err)
	}
	pass.Requeue = result.RequeueAfter
	l.record(request.NamespacedName, pass)
	l.end(request, *pass)
	return result, err
}

func (l *Loop) begin(request reconcile.Request) *Pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.of(request.NamespacedName)
	pass := &Pass{forced: parent.forced, inspected: parent.inspected, loop: l}
	parent.begun++
	parent.forced, parent.inspected = false, false
	delete(l.expected, request.NamespacedName)
	l.begun++
	l.running++
	return pass
}

func (l *Loop) end(request reconcile.Request, pass Pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.of(request.NamespacedName)
	parent.ended++
	parent.due = time.Time{}
	if pass.Requeue > 0 {
		parent.due = l.clock.Now().Add(pass.Requeue)
	}
	pass.record = Record{} // which can be large
	if !pass.Waits {
		parent.passes = append(parent.passes, pass)
	}
	l.running--
}

// of returns what is known of a parent; the caller holds the lock.
func (l *Loop) of(name types.NamespacedName) *parent {
	if l.parents == nil {
		l.parents = map[types.NamespacedName]*parent{}
	}
	found, ok := l.parents[name]
	if !ok {
		found = new(parent)
		l.parents[name] = found
	}
	return found
}

// Force orders a pass over a parent. It reports false while the loop has not
// started yet. done returns that pass once it has ended.
func (l *Loop) Force(name types.NamespacedName) (done func() (Pass, bool), ok bool) {
	queue, done := l.order(name)
	if queue == nil {
		return nil, false
	}
	queue.Add(reconcile.Request{NamespacedName: name})
	return done, true
}

// order notes that the next pass over a parent is forced, and returns the queue
// that the parent is to be added to; nil while the loop has not started.
func (l *Loop) order(name types.NamespacedName) (workqueue.TypedRateLimitingInterface[reconcile.Request], func() (Pass, bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.of(name)
	parent.forced = l.queue != nil
	awaited := parent.begun + 1 // one that runs already does not count
	before := len(parent.passes)
	return l.queue, func() (Pass, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if parent.ended < awaited || len(parent.passes) <= before {
			return Pass{}, false
		}
		return parent.passes[len(parent.passes)-1], true
	}
}

// expect notes parents that were added to the queue.
func (l *Loop) expect(items []reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.expected == nil {
		l.expected = map[types.NamespacedName]bool{}
	}
	for _, item := range items {
		l.expected[item.NamespacedName] = true
	}
}

// Busy says what the loop is about to do: a pass that runs, is queued, or is due
// within a time. It is empty if there is nothing.
func (l *Loop) Busy(within time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.working:
		return "has not started"
	case l.running > 0:
		return "runs a pass"
	}
	for name := range l.expected {
		return "has queued a pass over " + name.String()
	}
	if l.queue.Len() > 0 {
		return "has queued a pass"
	}
	for name, parent := range l.parents {
		if left := parent.due.Sub(l.clock.Now()); !parent.due.IsZero() && left < within {
			return fmt.Sprintf("is to run a pass over %s in %s", name, left.Round(time.Millisecond))
		}
	}
	return ""
}

// Begun returns how many passes have begun.
func (l *Loop) Begun() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// Events returns how many different Events passes have recorded.
func (l *Loop) Events() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

func (l *Loop) addEvent(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events == nil {
		l.events = map[string]bool{}
	}
	l.events[event] = true
}

// Passes returns the passes over a parent that did something, in their order.
func (l *Loop) Passes(name types.NamespacedName) []Pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.of(name).passes)
}

// Due returns the parent whose next pass comes first of those due until then.
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
	return l.working
}

func (l *Loop) setWorking() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.working = true
}

// Known returns the parents that passes have been over, in the order of their
// names.
func (l *Loop) Known() []types.NamespacedName {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Keys(l.parents), func(a, b types.NamespacedName) int {
		return strings.Compare(a.String(), b.String())
	})
}
