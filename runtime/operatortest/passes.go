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

// Pass is how a pass over a parent ended.
type Pass struct {
	// Reason is that of the error, as the Ready condition has it; empty for a
	// pass that succeeded.
	Reason string
	Err    error
	// RequeueAfter is when the next pass is due if nothing changes; zero: none
	// is.
	RequeueAfter time.Duration
}

// Reconcile has the operator run a pass over a parent now, as it is now, and
// waits until it has ended. Nothing is written for that, not even to the parent.
// A pass that has failed is retried at once.
func (c *Cluster) Reconcile(parent client.Object) Pass {
	c.t.Helper()
	return c.reconcile(parent, (*testcontrol.Loop).Force)
}

// order has a loop run a pass over a parent, as [testcontrol.Loop.Force] does it.
type order func(*testcontrol.Loop, client.ObjectKey) (done func() (testcontrol.Reconcile, bool), ok bool)

// reconcile is Reconcile, ordered in this way.
func (c *Cluster) reconcile(parent client.Object, order order) Pass {
	c.t.Helper()
	c.place(parent)
	name := client.ObjectKeyFromObject(parent)
	loop := c.loopOf(parent)
	c.Eventually("the operator sees "+describeObject(c.Client, parent)+" as it is", func() error { return c.caughtUp(loop, name) })
	for {
		done, ok := order(loop, name)
		if !ok {
			c.t.Fatal("the operator has not started")
		}
		ended := c.awaitPass("a pass over "+describeObject(c.Client, parent)+" ends", done)
		if !ended.IsStale {
			return Pass{ended.Reason, ended.Err, ended.Requeue}
		}
		time.Sleep(glance)
	}
}

// awaitPass waits until a pass that was ordered has ended.
func (c *Cluster) awaitPass(what string, done func() (testcontrol.Reconcile, bool)) (ended testcontrol.Reconcile) {
	c.t.Helper()
	c.within(patience, glance, what, func() (err error) {
		var ok bool
		if ended, ok = done(); !ok {
			err = errors.New("it has not")
		}
		return err
	})
	return ended
}

// Reconciled is [Cluster.Reconcile] for several parents, and fails the test when
// a pass does.
func (c *Cluster) Reconciled(parents ...client.Object) {
	c.t.Helper()
	c.reconciled(parents, (*testcontrol.Loop).Force)
}

func (c *Cluster) reconciled(parents []client.Object, order order) {
	c.t.Helper()
	for _, parent := range parents {
		if pass := c.reconcile(parent, order); pass.Err != nil {
			c.t.Fatalf("a pass over %s failed with reason %s: %v", describeObject(c.Client, parent), pass.Reason, pass.Err)
		}
	}
}

// Passes returns the passes over a parent since the operator was started, in
// their order. It leaves out those that were repeated because the operator's
// view was out of date.
func (c *Cluster) Passes(parent client.Object) []Pass {
	c.t.Helper()
	c.place(parent)
	var ended []Pass
	for _, pass := range c.loopOf(parent).Reconciles(client.ObjectKeyFromObject(parent)) {
		if !pass.IsStale {
			ended = append(ended, Pass{pass.Reason, pass.Err, pass.Requeue})
		}
	}
	return ended
}

// Errors returns how many passes over a parent have failed since the operator
// was started, by reason.
func (c *Cluster) Errors(parent client.Object) map[string]int {
	c.t.Helper()
	counts := map[string]int{}
	for _, pass := range c.Passes(parent) {
		if pass.Err != nil {
			counts[pass.Reason]++
		}
	}
	return counts
}

// Advance puts the operator's clock forward, as if the time had passed: the
// passes that become due meanwhile run in their order, each at its time. Of an
// operator that is stopped it is the time that it was away.
func (c *Cluster) Advance(by time.Duration) {
	c.t.Helper()
	end := c.clock.Now().Add(by)
	for {
		loop, next, ok := c.nextDue(end)
		if !ok {
			break
		}
		if wait := next.when.Sub(c.clock.Now()); wait > 0 {
			c.clock.Advance(wait)
		}
		done, _ := loop.Force(next.name)
		c.awaitPass("the pass over "+next.name.Name+" that is due ends", done)
	}
	if left := end.Sub(c.clock.Now()); left > 0 {
		c.clock.Advance(left)
	}
}

// Now is what the operator's clock shows.
func (c *Cluster) Now() time.Time { return c.clock.Now() }

type due struct {
	name client.ObjectKey
	when time.Time
}

func (c *Cluster) nextDue(until time.Time) (found *testcontrol.Loop, next due, ok bool) {
	if c.process() == nil {
		return nil, due{}, false
	}
	for _, loop := range c.loops() {
		if name, when, has := loop.Due(until); has && (!ok || when.Before(next.when)) {
			found, next, ok = loop, due{name, when}, true
		}
	}
	return found, next, ok
}

// caughtUp tells whether the operator's cache holds a parent as the API server
// has it.
func (c *Cluster) caughtUp(loop *testcontrol.Loop, name client.ObjectKey) error {
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

// loops are those of the operator that runs.
func (c *Cluster) loops() []*testcontrol.Loop {
	c.t.Helper()
	if c.process() == nil {
		c.t.Fatal("the operator is stopped")
	}
	return c.process().control.Loops()
}

// loopOf waits for the loop over the parents of a kind.
func (c *Cluster) loopOf(parent client.Object) *testcontrol.Loop {
	c.t.Helper()
	loops := c.loopsOf(parent)
	if len(loops) > 1 {
		c.t.Fatalf("several controllers have parents of kind %s", loops[0].Parent.Kind)
	}
	return loops[0]
}

// loopsOf waits until the operator has started, and returns its loops over the
// parents of a kind.
func (c *Cluster) loopsOf(parent client.Object) []*testcontrol.Loop {
	c.t.Helper()
	kind := c.kindOf(parent)
	c.Eventually("the operator has started", func() error {
		loops := c.loops()
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
	loops := c.process().control.LoopsOver(kind.GroupKind())
	if len(loops) == 0 {
		c.t.Fatalf("no controller has parents of kind %s", kind.Kind)
	}
	return loops
}

func (c *Cluster) kindOf(object client.Object) schema.GroupVersionKind {
	c.t.Helper()
	kind, err := apiutil.GVKForObject(object, c.Client.Scheme())
	if err != nil {
		c.t.Fatal(err)
	}
	return kind
}

// describeObject names an object in a message: "Pod web".
func describeObject(from client.Client, object client.Object) string {
	kind, err := apiutil.GVKForObject(object, from.Scheme())
	if err != nil {
		return object.GetName()
	}
	return kind.Kind + " " + object.GetName()
}
