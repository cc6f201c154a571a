package operatortest

import (
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Inject sets up faults for the requests that the operator makes from now on:
// the one that runs, and those that follow it. Each fault counts its requests by
// itself; several may strike one request, which is how watches are late when an
// answer is lost:
//
//	cluster.Inject(
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.Before, What: operatortest.DelayWatches},
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.After, What: operatortest.Lose},
//	)
//
// Use Config.Faults for what is to go wrong while the operator starts. A test
// that fails prints its faults, and how to run it again. Faults end with the
// test, before the harness deletes what the test has made.
func (c *Cluster) Inject(faults ...Fault) {
	c.t.Helper()
	for _, fault := range faults {
		if err := fault.validate(); err != nil {
			c.t.Fatal(err)
		}
		if fault.What == TimeTravel {
			c.MarkPast()
		}
	}
	c.faults.addFaults(faults)
}

// ClearFaults ends every fault: what is refused is refused no longer, and what
// has not struck yet never will.
func (c *Cluster) ClearFaults() { c.faults.removeFaults() }

// Struck returns how many requests a fault has struck, also after
// [Cluster.ClearFaults].
func (c *Cluster) Struck(fault Fault) (times int) {
	for _, injected := range c.faults.injectedFaults() {
		if injected.Fault == fault {
			times += injected.struck
		}
	}
	return times
}

// MarkPast makes this moment the one that the caches of an operator begin with
// after [TimeTravel]. Without it, that is when faults were injected last. The
// API server forgets the past after some minutes.
func (c *Cluster) MarkPast() {
	c.t.Helper()
	c.faults.setPast(c.resourceVersion())
}

// Crash ends the operator as the loss of its node would: its requests fail from
// now on, nothing that it has begun is finished, and its lease, if it has one, is
// not released. Then another one starts, with nothing in memory. A call of Sync
// that does not return in time is still running in the test's process then.
func (c *Cluster) Crash() {
	c.t.Helper()
	running := operatorRunner{c}.runningProcess()
	if running == nil {
		c.t.Fatal("the operator is stopped")
	}
	if err := (operatorRunner{c}).exitError(); err != nil {
		c.t.Fatalf("the operator ended: %v", err)
	}
	operatorRunner{c}.replaceCrashed(running, Crash)
}

// resourceVersion returns that of the cluster.
func (c *Cluster) resourceVersion() string {
	c.t.Helper()
	list := new(metav1.PartialObjectMetadataList)
	list.APIVersion, list.Kind = "v1", "NamespaceList"
	if err := c.Client.List(c.t.Context(), list, client.Limit(1)); err != nil {
		c.t.Fatal(err)
	}
	return list.ResourceVersion
}

// reportFaults prints the faults of a test that has failed, and how to run it
// again.
func (c *Cluster) reportFaults() {
	injected := c.faults.injectedFaults()
	if !c.t.Failed() || len(injected) == 0 {
		return
	}
	for _, fault := range injected {
		c.t.Logf("fault %q struck %d times", fault.Fault, fault.struck)
	}
	c.t.Logf("run it again: go test -run '%s'", replayPattern(c.t))
}

// replayPattern matches a test, and no other.
func replayPattern(t *testing.T) string {
	var parts []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}
