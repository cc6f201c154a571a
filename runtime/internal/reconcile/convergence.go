package reconcile

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// convergence knows the generations of parents that have yet to converge, and when this
// process saw them first.
type convergence struct {
	now   func() time.Time
	mu    sync.Mutex
	byUID map[types.UID]pendingGeneration
}

type pendingGeneration struct {
	generation int64
	firstSeen  time.Time
}

func newConvergence(now func() time.Time) *convergence {
	return &convergence{now: now, byUID: map[types.UID]pendingGeneration{}}
}

// add records the generation of a parent, if it is a new one.
func (c *convergence) add(parent client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.byUID[parent.GetUID()]; ok && known.generation >= parent.GetGeneration() {
		return
	}
	c.byUID[parent.GetUID()] = pendingGeneration{parent.GetGeneration(), c.now()}
}

// complete returns how long ago the generation of a converged parent was seen first, and
// forgets it. It returns false for a generation that had converged before.
func (c *convergence) complete(parent client.Object) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.byUID[parent.GetUID()]
	if !ok || known.generation != parent.GetGeneration() {
		return 0, false
	}
	delete(c.byUID, parent.GetUID())
	return c.now().Sub(known.firstSeen), true
}

func (c *convergence) forget(parent client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byUID, parent.GetUID())
}

// predicate records generations of parents as the cache sees them, before they are
// reconciled. It passes every event. A parent whose status says that it has converged
// already, as after a restart, does not count.
func (c *convergence) predicate(isParent, hasConverged func(client.Object) bool) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			if isParent(e.Object) && !hasConverged(e.Object) {
				c.add(e.Object)
			}
			return true
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			if !isParent(e.ObjectNew) {
				c.forget(e.ObjectNew)
				return true
			}
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				c.add(e.ObjectNew)
			}
			return true
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			c.forget(e.Object)
			return true
		},
	}
}

// countConvergence counts a generation that has converged.
func (r *run) countConvergence() {
	if r.loop.environment.Observe {
		return
	}
	if duration, isFirst := r.loop.convergence.complete(r.parent); isFirst {
		r.loop.environment.Metrics.ObserveConvergence(r.loop.definition.Name, duration)
	}
}
