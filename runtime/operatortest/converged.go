package operatortest

import (
	"cmp"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// attempts is how often Converged starts again because another client changed an object meanwhile.
const attempts = 10

// Settled waits until the operator has nothing left to do: it has seen what it has written itself and
// what the test has written by [Cluster.Client], all reconciles that this caused have ended, none is due
// within two seconds, and no request is pending. It returns how many requests the operator has made. An
// operator that keeps writing fails the test, with its writes.
//
// It does not wait for others: neither for the cluster's own controllers, which for instance create the
// Pods of a Deployment, nor for a client that the test has made by itself. What these have written
// counts as soon as a watch of the operator has delivered it. Wait for it with [Cluster.Matches] or
// [Cluster.Eventually]. An operator that the test itself runs, in another process or by operator.Run,
// counts as settled when its user agent has made no request for two seconds.
func (c *Cluster) Settled() int {
	c.t.Helper()
	c.operator.AwaitSettled(instance.Soon)
	return len(c.Requests())
}

// Converged waits until the operator is settled and then makes it reconcile the parents, or all
// that it knows if none is named. It fails the test if a reconcile fails or makes a request to the
// API server: the operator would write forever. The message lists the requests, and the fields that
// changed from one write of an object to the next. It also fails the test if the operator reports
// its children untruthfully; see [Cluster.Truthful].
func (c *Cluster) Converged(parents ...client.Object) {
	c.t.Helper()
	c.operator.RunningLoops() // of an operator that runs
	for range attempts {
		c.operator.AwaitSettled(instance.Soon / 2)
		c.checker.RequireTruth(parents)
		before := c.operator.Handled()
		if c.operator.DescribeBusy(instance.Soon/2) != "" { // because of what it has seen since it was settled
			continue
		}
		mark, logged := c.operator.Sent.Count(), len(c.Requests())
		existing := c.operator.ExistingParents(parents)
		for _, order := range []instance.Order{(*testcontrol.Loop).Force, c.checker.InspectionOrder()} {
			c.operator.ReconcileSettled(existing, order)
		}
		c.requireLaterRequeue(existing)
		c.operator.AwaitSettled(0)
		requests := c.Requests()[logged:]
		if c.operator.Sent.Count() == mark && len(requests) == 0 {
			c.checker.RequireTruth(parents)
			c.checker.RequireCollected()
			c.operator.ToConverge = cmp.Or(c.operator.ToConverge, len(c.Sent()))
			return
		}
		if instance.ChangedByOthers(before, c.operator.Handled(), c.operator.Sent.Since(mark)) != "" {
			continue
		}
		if c.operator.Sent.Count() == mark { // not through the client that the runtime has
			c.t.Fatalf("not converged: forced reconciles made requests:\n%s", formatRequests(requests))
		}
		c.t.Fatalf("not converged: two reconciles of each parent, none of which had changed, made requests:\n%s", c.operator.DescribeRequests(mark))
	}
	c.t.Fatalf("not converged: after %d attempts, another client still changes its objects:\n%s", attempts, c.operator.DescribeRequests(0))
}

// requireLaterRequeue fails the test if a parent's last reconcile asked for another one at a time
// that has passed, as the one before it did.
func (c *Cluster) requireLaterRequeue(parents []client.Object) {
	c.t.Helper()
	for _, parent := range parents {
		reconciles := c.operator.LoopOf(parent).Reconciles(client.ObjectKeyFromObject(parent))
		if len(reconciles) > 0 && reconciles[len(reconciles)-1].IsHotLoop {
			c.t.Fatalf("not converged: Sync asks for a reconcile of %s at a time that has passed, again and again: RequeueAfter is negative", c.operator.Describe(parent))
		}
	}
}

// formatRequests returns one line for each request.
func formatRequests(requests []requests.Request) string {
	var text strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&text, "  %s\n", r)
	}
	return text.String()
}
