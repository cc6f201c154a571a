package operator

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// arrivals are the generations of parents that have yet to converge, and when
// this process saw them first.
type arrivals struct {
	now   func() time.Time
	mu    sync.Mutex
	byUID map[types.UID]arrival
}

type arrival struct {
	generation int64
	at         time.Time
}

func newArrivals(now func() time.Time) *arrivals {
	return &arrivals{now: now, byUID: map[types.UID]arrival{}}
}

// saw notes a generation, if it is a new one.
func (a *arrivals) saw(parent client.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.byUID[parent.GetUID()]; ok && known.generation >= parent.GetGeneration() {
		return
	}
	a.byUID[parent.GetUID()] = arrival{parent.GetGeneration(), a.now()}
}

// converged returns how long ago the generation of a converged parent was seen
// first, and forgets it. It is false for one that had converged before.
func (a *arrivals) converged(parent client.Object) (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.byUID[parent.GetUID()]
	if !ok || known.generation != parent.GetGeneration() {
		return 0, false
	}
	delete(a.byUID, parent.GetUID())
	return a.now().Sub(known.at), true
}

func (a *arrivals) forget(parent client.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byUID, parent.GetUID())
}

// watch notes generations of our parents as the cache sees them, before their
// passes; every event goes on. A parent whose status says that it has converged
// already, as after a restart, does not count.
func (a *arrivals) watch(isOurs, converged func(client.Object) bool) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			if isOurs(e.Object) && !converged(e.Object) {
				a.saw(e.Object)
			}
			return true
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			if !isOurs(e.ObjectNew) {
				a.forget(e.ObjectNew)
				return true
			}
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				a.saw(e.ObjectNew)
			}
			return true
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			a.forget(e.Object)
			return true
		},
	}
}

// converged counts a generation whose pass wrote everything and found it ready.
func (p *pass) converged() {
	if after, first := p.arrivals.converged(p.parent); first {
		p.metrics.ObserveConvergence(p.name, after)
	}
}

// isReady tells whether conditions say that a generation is ready; generation 0
// stands for any.
func isReady(conditions []metav1.Condition, generation int64) bool {
	shown := meta.FindStatusCondition(conditions, ready)
	return shown != nil && shown.Status == metav1.ConditionTrue && (generation == 0 || shown.ObservedGeneration == generation)
}
