package operatortest_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
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
