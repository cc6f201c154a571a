package operatortest

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

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
	return resultOf(c.operator.Reconcile(parent, (*testcontrol.Loop).Force))
}

func resultOf(ended testcontrol.Reconcile) ReconcileResult {
	return ReconcileResult{ended.Reason, ended.Err, ended.Requeue}
}

// Reconciled is [Cluster.Reconcile] for several parents. It fails the test if a reconcile fails.
func (c *Cluster) Reconciled(parents ...client.Object) {
	c.t.Helper()
	c.operator.ReconcileAll(parents, (*testcontrol.Loop).Force)
}

// ReconcileResults returns the results of the reconciles of a parent since the operator was
// started, in their order. It leaves out those that were repeated because the operator's cache was
// stale.
func (c *Cluster) ReconcileResults(parent client.Object) []ReconcileResult {
	c.t.Helper()
	c.operator.SetNamespace(parent)
	var ended []ReconcileResult
	for _, result := range c.operator.LoopOf(parent).Reconciles(client.ObjectKeyFromObject(parent)) {
		if !result.IsStale {
			ended = append(ended, resultOf(result))
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
// order, each at its time. If the operator is stopped, none run. The clock moves while the operator is
// idle: Advance waits for that before each step, but for an operator that cannot go on, such as one
// whose Sync waits for the test.
func (c *Cluster) Advance(by time.Duration) {
	c.t.Helper()
	c.operator.Advance(by)
}

// StopClock stops the operator's clock for the rest of the test: only [Cluster.Advance] moves it. A
// test of what happens before a delay has passed stops the clock, since the delay may pass meanwhile
// on a slow machine.
func (c *Cluster) StopClock() { c.operator.Clock.Stop() }

// Now returns the time of the operator's clock.
func (c *Cluster) Now() time.Time { return c.operator.Clock.Now() }
