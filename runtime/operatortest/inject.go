package operatortest

import (
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Inject injects faults into the requests that the operator makes from now on, also after restarts.
// Each fault counts its own requests. Several faults may apply to one request. This is how watches
// are late when an answer is lost:
//
//	cluster.Inject(
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.Before, What: operatortest.DelayWatches},
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.After, What: operatortest.Lose},
//	)
//
// Use Config.Faults for faults while the operator starts. A test that fails prints its faults, and
// how to run it again. Faults end with the test, before the harness deletes the test's objects.
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

// ClearFaults removes every fault.
func (c *Cluster) ClearFaults() { c.faults.removeFaults() }

// Struck returns how many requests a fault has affected, also after [Cluster.ClearFaults].
func (c *Cluster) Struck(fault Fault) (times int) {
	for _, injected := range c.faults.injectedFaults() {
		if injected.Fault == fault {
			times += injected.struck
		}
	}
	return times
}

// MarkPast makes this moment the one that the caches of an operator start with after [TimeTravel].
// Without it, that is the moment of the last Inject. The API server keeps the past for some
// minutes.
func (c *Cluster) MarkPast() {
	c.t.Helper()
	c.faults.setPast(c.resourceVersion())
}

// Crash ends the operator as the loss of its node would: its requests fail from now on, nothing
// that it has begun is finished, and it does not release its lease. Then another operator starts,
// with empty memory. A call of Sync that does not return in time still runs in the test's process
// then.
func (c *Cluster) Crash() {
	c.t.Helper()
	running := runningProcess(c)
	if running == nil {
		c.t.Fatal("the operator is stopped")
	}
	if err := exitError(c); err != nil {
		c.t.Fatalf("the operator ended: %v", err)
	}
	replaceCrashed(c, running, Crash)
}

// resourceVersion returns the current resource version of the cluster.
func (c *Cluster) resourceVersion() string {
	c.t.Helper()
	list := new(metav1.PartialObjectMetadataList)
	list.APIVersion, list.Kind = "v1", "NamespaceList"
	if err := c.Client.List(c.t.Context(), list, client.Limit(1)); err != nil {
		c.t.Fatal(err)
	}
	return list.ResourceVersion
}

// reportFaults prints the faults of a failed test, and how to run it again.
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

// replayPattern returns the pattern that selects one test.
func replayPattern(t *testing.T) string {
	var parts []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}
