package operatortest_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestAHookRunsBeforeTheOperatorsWrite(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	cluster.Converged(ledger)
	var found error
	seen := textMap("web", "")
	seen.Namespace = cluster.Namespace
	cluster.Before("patch", "configmaps", 2, func() { found = cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(seen), seen) })
	for _, text := range []string{"two", "three", "four"} {
		cluster.Update(ledger, func() { ledger.Spec.Text = text })
		cluster.Matches(textMap("web", text))
		cluster.Converged(ledger)
	}
	if found != nil || seen.Data["text"] != "two" {
		t.Errorf("before the second patch there was %v (%v), want the text of the first one", seen.Data, found)
	}
}

// TestFaults has each fault strike the first patch of a child. The operator sees
// what the fault shows it, the API server has done the patch or not, and the
// parent converges once the faults are cleared.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		line   string
		expect string // what the operator sees of the patch
		text   string // of the child at this moment
	}{
		{"patch configmaps 1 instead 403", "403", "one"},
		{"patch configmaps 1 instead 404", "404", "one"},
		{"patch configmaps 1 instead 409", "409", "one"},
		{"patch configmaps 1 instead 422", "422", "one"},
		{"patch configmaps 1 instead 422-field", "422 spec", "one"},
		{"patch configmaps 1 instead 429", "429 retry after 1", "one"},
		{"patch configmaps 1 instead 500", "500", "one"},
		{"patch configmaps 1 instead 503", "503", "one"},
		{"patch configmaps 1 instead 500 once", "500", "one"},
		{"patch configmaps 1 after 500 once", "500", "two"},
		{"patch configmaps 1 before lost", "connection reset", "one"},
		{"patch configmaps 1 after lost", "connection reset", "two"},
		{"patch configmaps 1 before timeout", "timeout", "one"},
		{"patch configmaps 1 after timeout", "timeout", "two"},
		{"patch configmaps 1 before cut", "200", "two"},
		{"patch configmaps 1 after cut", "200", "two"},
		{"patch configmaps 1 before late", "200", "two"},
		{"write any 1 before crash", "has crashed", "one"},
		{"write any 1 after crash", "has crashed", "two"},
		{"write any 1 after travel", "has crashed", "two"},
	} {
		t.Run(test.line, func(t *testing.T) {
			fault, err := operatortest.ParseFault(test.line)
			if err != nil {
				t.Fatal(err)
			}
			p := new(probe)
			cluster, ledger := run(t, copyOut, configure(func(config *operatortest.Config) { config.Transport = p.wrap }))
			cluster.Converged(ledger)
			p.begin(t, cluster)
			cluster.Inject(fault)
			cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
			cluster.Eventually("the patch is over", p.over)
			if p.saw != test.expect || p.text != test.text {
				t.Errorf("the operator saw %q, and the child had %q; want %q and %q", p.saw, p.text, test.expect, test.text)
			}
			cluster.ClearFaults()
			cluster.Matches(textMap("web", "two"))
			cluster.Converged(ledger)
			if struck := cluster.Struck(fault); struck < 1 || struck > 1 && (fault.Once || !strings.HasPrefix(p.saw, "4") && !strings.HasPrefix(p.saw, "5")) {
				t.Errorf("the fault struck %d times", struck)
			}
		})
	}
}
