package passes

import (
	"context"
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
	ParentOf   func(child client.Object) (uid types.UID, name string) // of a parent; empty for an object that is no child
	Parent     schema.GroupVersionKind
	Empty      client.Object // of the parent's kind, as the cache holds it
	Cache      client.Reader // of parents
	Children   []schema.GroupVersionKind
	Run        Run

	clock   *Clock
	mu      sync.Mutex
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	running int
	last    time.Time // when a pass ended last
	parents map[types.NamespacedName]*parent
}

// parent is what is known of one parent's passes.
type parent struct {
	begun, ended int
	forced       bool      // the next pass is
	due          time.Time // zero: never, if nothing changes
	passes       []Pass    // that did something
}

// Start is called with the work queue when the caches are filled.
func (l *Loop) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue, l.last = queue, time.Now()
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
	l.end(request, *pass)
	return result, err
}

func (l *Loop) begin(request reconcile.Request) *Pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.of(request.NamespacedName)
	pass := &Pass{forced: parent.forced}
	parent.begun++
	parent.forced = false
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
	if !pass.Waits {
		parent.passes = append(parent.passes, pass)
		l.last = time.Now()
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue == nil {
		return nil, false
	}
	parent := l.of(name)
	parent.forced = true
	awaited := parent.begun + 1 // one that runs already does not count
	before := len(parent.passes)
	l.queue.Add(reconcile.Request{NamespacedName: name})
	return func() (Pass, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if parent.ended < awaited || len(parent.passes) <= before {
			return Pass{}, false
		}
		return parent.passes[len(parent.passes)-1], true
	}, true
}

// Quiet tells for how long no pass has done anything: not at all while one runs
// or waits for a worker.
func (l *Loop) Quiet() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue == nil || l.running > 0 || l.queue.Len() > 0 {
		return 0
	}
	return time.Since(l.last)
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

// Started tells whether the loop takes orders.
func (l *Loop) Started() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue != nil
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
