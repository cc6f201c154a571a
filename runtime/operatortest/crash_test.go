package operatortest_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestCrashLosesWhatIsInMemory(t *testing.T) {
	var called atomic.Bool
	blocked := make(chan struct{})
	cluster, ledger := run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		if req.Parent.Spec.Text == "held" && called.CompareAndSwap(false, true) {
			<-blocked // this call outlives its operator
		}
		return copyOut(ctx, req)
	})
	cluster.Converged(ledger)
	cluster.Update(ledger, func() { ledger.Spec.Text = "held" })
	cluster.Eventually("Sync is called", func() error {
		if !called.Load() {
			return errors.New("it is not")
		}
		return nil
	})
	cluster.Crash()
	cluster.Matches(textMap("web", "held")) // by the next one, while the call goes on
	cluster.Converged(ledger)
	writes := len(cluster.Writes())
	close(blocked)
	cluster.Converged(ledger)
	if now := len(cluster.Writes()); now != writes {
		t.Errorf("the operator that has crashed wrote: %v", cluster.Writes()[writes:])
	}
	if results := len(cluster.ReconcileResults(ledger)); results == 0 {
		t.Error("the operator that runs has not reconciled")
	}
}

func TestCrashDoesNotReleaseTheLease(t *testing.T) {
	elect := configure(func(config *operatortest.Config) {
		config.Options = func(o *operator.Options) {
			o.LeaderElect, o.LeaderElectID, o.LeaderElectNamespace = true, "ledgers", o.Namespaces[0]
		}
	})
	cluster, ledger := run(t, copyOut, elect)
	cluster.Converged(ledger)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "ledgers"}}
	cluster.Get(lease)
	holder := *lease.Spec.HolderIdentity
	cluster.Crash()
	cluster.Eventually("the next operator waits for the lease", func() error {
		cluster.Get(lease)
		if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != holder {
			t.Fatalf("the lease was released, or taken over at once: %+v", lease.Spec)
		}
		if age := time.Since(lease.Spec.RenewTime.Time); age < 5*time.Second {
			return fmt.Errorf("it is renewed %s ago", age)
		}
		return nil
	})
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Matches(textMap("web", "two"))
	cluster.Converged(ledger)
	if cluster.Get(lease); *lease.Spec.HolderIdentity == holder {
		t.Error("the operator works without the lease")
	}
}
