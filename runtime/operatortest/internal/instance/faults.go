package instance

import (
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
)

// Inject injects faults into the requests that the operator makes from now on.
func (o *Operator) Inject(faults ...fault.Fault) {
	o.T.Helper()
	for _, injected := range faults {
		if err := injected.Validate(); err != nil {
			o.T.Fatal(err)
		}
		if injected.What == fault.TimeTravel {
			o.MarkPast()
		}
	}
	o.Faults.AddFaults(faults)
}

// MarkPast makes this moment the one that caches start with after a fault of kind TimeTravel.
func (o *Operator) MarkPast() {
	o.T.Helper()
	o.Faults.SetPast(o.resourceVersion())
}

// Crash ends the operator as the loss of its node would, and starts another one.
func (o *Operator) Crash() {
	o.T.Helper()
	running := o.RunningProcess()
	if running == nil {
		o.T.Fatal("the operator is stopped")
	}
	if err := o.ExitError(); err != nil {
		o.T.Fatalf("the operator ended: %v", err)
	}
	o.replaceCrashed(running, fault.Crash)
}

// resourceVersion returns the current resource version of the cluster.
func (o *Operator) resourceVersion() string {
	o.T.Helper()
	list := new(metav1.PartialObjectMetadataList)
	list.APIVersion, list.Kind = "v1", "NamespaceList"
	if err := o.Client.List(o.T.Context(), list, client.Limit(1)); err != nil {
		o.T.Fatal(err)
	}
	return list.ResourceVersion
}

// reportFaults prints the faults of a failed test, and how to run it again.
func (o *Operator) reportFaults() {
	lines := o.Faults.Lines()
	if !o.T.Failed() || len(lines) == 0 {
		return
	}
	for _, line := range lines {
		o.T.Log(line)
	}
	o.T.Logf("run it again: go test -run '%s'", replayPattern(o.T))
}

// replayPattern returns the pattern that selects one test.
func replayPattern(t *testing.T) string {
	var parts []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}
