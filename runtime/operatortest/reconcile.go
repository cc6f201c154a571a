package operatortest

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// ReconcileResult is the result of one reconcile of a parent.
type ReconcileResult struct {
	// Reason is the reason of the error in the Ready condition. It is empty if the reconcile
	// succeeded.
	Reason string
	Err    error
	// RequeueAfter is the time until the next reconcile if nothing changes. Zero: there is none.
	RequeueAfter time.Duration
}

// Reconcile makes the operator reconcile a parent now, in its present state, and waits for the
// result. It writes nothing for that, not even to the parent. A failed reconcile is retried at
// once.
func (c *Cluster) Reconcile(parent client.Object) ReconcileResult {
	c.t.Helper()
	return reconcileOne(c, parent, (*testcontrol.Loop).Force)
}

// order makes a loop reconcile a parent, as [testcontrol.Loop.Force] does.
type order func(*testcontrol.Loop, client.ObjectKey) (done func() (testcontrol.Reconcile, bool), ok bool)

// reconcileOne is Reconcile, ordered in this way.
func reconcileOne(c *Cluster, parent client.Object, order order) ReconcileResult {
	c.t.Helper()
	c.setNamespace(parent)
	name := client.ObjectKeyFromObject(parent)
	loop := loopOf(c, parent)
	c.Eventually("the operator sees "+describeObject(c.Client, parent)+" as it is", func() error { return isParentCached(c, loop, name) })
	for {
		done, ok := order(loop, name)
		if !ok {
			c.t.Fatal("the operator has not started")
		}
		ended := awaitResult(c, "a reconcile of "+describeObject(c.Client, parent)+" ends", done)
		if !ended.IsStale {
			return ReconcileResult{ended.Reason, ended.Err, ended.Requeue}
		}
		time.Sleep(glance)
	}
}

// awaitResult waits for the result of an ordered reconcile.
func awaitResult(c *Cluster, what string, done func() (testcontrol.Reconcile, bool)) (ended testcontrol.Reconcile) {
	c.t.Helper()
	c.eventuallyWithin(patience, glance, what, func() (err error) {
		var ok bool
		if ended, ok = done(); !ok {
			err = errors.New("it has not")
		}
		return err
	})
	return ended
}

// Reconciled is [Cluster.Reconcile] for several parents. It fails the test if a reconcile fails.
func (c *Cluster) Reconciled(parents ...client.Object) {
	c.t.Helper()
	reconcileAll(c, parents, (*testcontrol.Loop).Force)
}

// reconcileAll is Reconciled, ordered in this way.
func reconcileAll(c *Cluster, parents []client.Object, order order) {
	c.t.Helper()
	for _, parent := range parents {
		if result := reconcileOne(c, parent, order); result.Err != nil {
			c.t.Fatalf("a reconcile of %s failed with reason %s: %v", describeObject(c.Client, parent), result.Reason, result.Err)
		}
	}
}

// ReconcileResults returns the results of the reconciles of a parent since the operator was
// started, in their order. It leaves out those that were repeated because the operator's cache was
// stale.
func (c *Cluster) ReconcileResults(parent client.Object) []ReconcileResult {
	c.t.Helper()
	c.setNamespace(parent)
	var ended []ReconcileResult
	for _, result := range loopOf(c, parent).Reconciles(client.ObjectKeyFromObject(parent)) {
		if !result.IsStale {
			ended = append(ended, ReconcileResult{result.Reason, result.Err, result.Requeue})
		}
	}
	return ended
}

// Errors returns how many reconciles of a parent have failed since the operator was started, by
// reason.
func (c *Cluster) Errors(parent client.Object) map[string]int {
	c.t.Helper()
	counts := map[string]int{}
	for _, result := range c.ReconcileResults(parent) {
		if result.Err != nil {
			counts[result.Reason]++
		}
	}
	return counts
}

// Advance moves the operator's clock forward. The reconciles that become due meanwhile run in their
// order, each at its time. If the operator is stopped, none run.
func (c *Cluster) Advance(by time.Duration) {
	c.t.Helper()
	end := c.clock.Now().Add(by)
	for {
		loop, next, ok := nextRequeue(c, end)
		if !ok {
			break
		}
		if wait := next.when.Sub(c.clock.Now()); wait > 0 {
			c.clock.Advance(wait)
		}
		done, _ := loop.Force(next.name)
		awaitResult(c, "the requeued reconcile of "+next.name.Name+" ends", done)
	}
	if left := end.Sub(c.clock.Now()); left > 0 {
		c.clock.Advance(left)
	}
}

// StopClock stops the operator's clock for the rest of the test: only [Cluster.Advance] moves it. A
// test of what happens before a delay has passed stops the clock, since the delay may pass meanwhile
// on a slow machine.
func (c *Cluster) StopClock() { c.clock.Stop() }

// Now returns the time of the operator's clock.
func (c *Cluster) Now() time.Time { return c.clock.Now() }

// due is the next reconcile of a parent.
type due struct {
	name client.ObjectKey
	when time.Time
}

// nextRequeue returns the first reconcile that is due until a time. It reports false if there is
// none.
func nextRequeue(c *Cluster, until time.Time) (found *testcontrol.Loop, next due, ok bool) {
	if runningProcess(c) == nil {
		return nil, due{}, false
	}
	for _, loop := range runningLoops(c) {
		if name, when, has := loop.Due(until); has && (!ok || when.Before(next.when)) {
			found, next, ok = loop, due{name, when}, true
		}
	}
	return found, next, ok
}

// isParentCached returns an error if the operator's cache does not show a parent as the API server
// has it.
func isParentCached(c *Cluster, loop *testcontrol.Loop, name client.ObjectKey) error {
	live, cached := loop.Empty.DeepCopyObject().(client.Object), loop.Empty.DeepCopyObject().(client.Object)
	if err := client.IgnoreNotFound(c.Client.Get(c.t.Context(), name, live)); err != nil {
		return err
	}
	if err := client.IgnoreNotFound(loop.Cache.Get(c.t.Context(), name, cached)); err != nil {
		return err
	}
	if live.GetResourceVersion() != cached.GetResourceVersion() {
		return fmt.Errorf("it sees resource version %q, the API server has %q", cached.GetResourceVersion(), live.GetResourceVersion())
	}
	return nil
}

// runningLoops returns the loops of the operator that runs.
func runningLoops(c *Cluster) []*testcontrol.Loop {
	c.t.Helper()
	if runningProcess(c) == nil {
		c.t.Fatal("the operator is stopped")
	}
	return runningProcess(c).control.Loops()
}

// loopOf returns the loop for the parents of a kind. It waits until the operator has started.
func loopOf(c *Cluster, parent client.Object) *testcontrol.Loop {
	c.t.Helper()
	loops := loopsOf(c, parent)
	if len(loops) > 1 {
		c.t.Fatalf("several controllers have parents of kind %s", loops[0].Parent.Kind)
	}
	return loops[0]
}

// loopsOf returns the loops for the parents of a kind. It waits until the operator has started.
func loopsOf(c *Cluster, parent client.Object) []*testcontrol.Loop {
	c.t.Helper()
	kind := kindOf(c, parent)
	c.Eventually("the operator has started", func() error {
		loops := runningLoops(c)
		for _, loop := range loops {
			if !loop.Started() {
				return errors.New("it has not")
			}
		}
		if len(loops) == 0 {
			return errors.New("it has no controller")
		}
		return nil
	})
	loops := runningProcess(c).control.LoopsOver(kind.GroupKind())
	if len(loops) == 0 {
		c.t.Fatalf("no controller has parents of kind %s", kind.Kind)
	}
	return loops
}

// kindOf returns the kind of an object.
func kindOf(c *Cluster, object client.Object) schema.GroupVersionKind {
	c.t.Helper()
	kind, err := apiutil.GVKForObject(object, c.Client.Scheme())
	if err != nil {
		c.t.Fatal(err)
	}
	return kind
}

// describeObject returns an object as messages name it, such as "Pod web".
func describeObject(from client.Client, object client.Object) string {
	kind, err := apiutil.GVKForObject(object, from.Scheme())
	if err != nil {
		return object.GetName()
	}
	return kind.Kind + " " + object.GetName()
}
