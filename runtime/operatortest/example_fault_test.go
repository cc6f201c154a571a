package operatortest_test

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// One test runs a parent through several faults: the same is expected of each.
func ExampleCluster_Inject() {
	testFaults = func(t *testing.T, config operatortest.Config, ledger *Ledger) { // func TestFaults(t *testing.T)
		for _, line := range []string{
			"create configmaps 1 after lost",
			"patch ledgers/status 1 instead 500 once",
			"write any 2 before timeout",
			"write any 2 after crash",
			"write any 2 after travel",
		} {
			t.Run(line, func(t *testing.T) {
				fault, err := operatortest.ParseFault(line)
				if err != nil {
					t.Fatal(err)
				}
				cluster := operatortest.Start(t, config)
				cluster.Inject(fault)
				ledger := ledger.DeepCopyObject().(*Ledger)
				cluster.Create(ledger)
				cluster.Matches(textMap("web", "hello"))
				cluster.Converged(ledger)
				if cluster.Struck(fault) == 0 {
					t.Error("there was no such request")
				}
			})
		}
	}
}

// What is refused is refused until the faults are cleared.
func ExampleCluster_ClearFaults() {
	testRefusal = func(t *testing.T, config operatortest.Config, ledger *Ledger) {
		cluster := operatortest.Start(t, config)
		cluster.Inject(operatortest.Fault{
			Verb: "create", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseForbidden,
		})
		cluster.Create(ledger)
		cluster.Matches(&Ledger{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Status:     LedgerStatus{Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse}}},
		})
		cluster.ClearFaults()
		cluster.Matches(textMap("web", "hello"))
	}
}

// Admission changes a field of a child, and later freezes it.
func ExampleCluster_Mutate() {
	testAdmission = func(t *testing.T, config operatortest.Config, ledger *Ledger) {
		cluster := operatortest.Start(t, config)
		cluster.Mutate(&corev1.ConfigMap{}, `{"metadata":{"labels":{"team":"shop"}}}`)
		cluster.Create(ledger)
		cluster.Matches(textMap("web", "hello"))
		cluster.Converged(ledger)

		thaw := cluster.Deny(&corev1.ConfigMap{}, "update", metav1.Status{
			Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "a change freeze",
		})
		cluster.Update(ledger, func() { ledger.Spec.Text = "bye" })
		cluster.Reconcile(ledger)
		cluster.Matches(textMap("web", "hello"))
		thaw()
		cluster.Matches(textMap("web", "bye"))
		cluster.Converged(ledger)
	}
}

// An operator crashes while it works, and the next one goes on.
func ExampleCluster_Crash() {
	testCrash = func(t *testing.T, config operatortest.Config, ledger *Ledger) {
		cluster := operatortest.Start(t, config)
		cluster.Create(ledger)
		cluster.Crash()
		cluster.Matches(textMap("web", "hello"))
		cluster.Converged(ledger)
	}
}

var testFaults, testRefusal, testAdmission, testCrash func(*testing.T, operatortest.Config, *Ledger)

// TestExamplesOfFaults runs what the examples show.
func TestExamplesOfFaults(t *testing.T) {
	ExampleCluster_Inject()
	ExampleCluster_ClearFaults()
	ExampleCluster_Mutate()
	ExampleCluster_Crash()
	for name, test := range map[string]func(*testing.T, operatortest.Config, *Ledger){
		"faults": testFaults, "refusal": testRefusal, "admission": testAdmission, "crash": testCrash,
	} {
		t.Run(name, func(t *testing.T) {
			ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "hello"}}
			test(t, ledgerConfig(new(Reconciler).Sync), ledger)
		})
	}
}
