package operatortest_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A Job fails, and its parent says so.
func ExampleCluster_MakeFailed() {
	testMigration = func(t *testing.T, config operatortest.Config, ledger *Ledger) { // func TestMigration(t *testing.T)
		cluster := operatortest.Start(t, config)
		cluster.Create(ledger)
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "migrate"}}
		cluster.MakeFailed(job)
		cluster.Matches(&Ledger{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Status:     LedgerStatus{Conditions: []metav1.Condition{{Type: "Ready", Status: "False", Reason: "ChildFailed"}}},
		})
	}
}

var testMigration func(*testing.T, operatortest.Config, *Ledger)

func TestExampleOfMakeFailed(t *testing.T) {
	ExampleCluster_MakeFailed()
	testMigration(t, ledgerConfig(migrate), &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
}
