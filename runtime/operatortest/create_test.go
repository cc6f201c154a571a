package operatortest_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// createsAtOnce is how many children of a parent the runtime creates at once.
const createsAtOnce = 8

// listPages desires this many ConfigMaps.
func listPages(want *ledgerChildren, n int) {
	for i := range n {
		want.ConfigMaps.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%02d", i)}})
	}
}

// waitForAll returns a function that returns once it is called n times, and how many calls gave up.
func waitForAll(n int) (meet func(), alone *atomic.Int32) {
	var here atomic.Int32
	together, alone := make(chan struct{}), new(atomic.Int32)
	return func() {
		if int(here.Add(1)) == n {
			close(together)
		}
		select {
		case <-together:
		case <-time.After(5 * time.Second):
			alone.Add(1)
		}
	}, alone
}

func TestChildrenOfOneKindAreCreatedAtOnce(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		if req.Parent.Spec.Text != "one" {
			listPages(want, 2*createsAtOnce)
		}
		return &ledgerResponse{Children: want}, nil
	})
	cluster.Reconciled(ledger)
	meet, alone := waitForAll(createsAtOnce)
	for nth := range createsAtOnce {
		cluster.Before("create", "configmaps", nth+1, meet)
	}
	before := len(cluster.Writes())
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Reconciled(ledger)
	cluster.Converged(ledger)
	if n := alone.Load(); n > 0 {
		t.Errorf("%d creates were not sent beside others", n)
	}
	if writes := cluster.Writes()[before:]; len(writes) != 2*createsAtOnce+1 { // and the status
		t.Errorf("made %d writes: %v", len(writes), writes)
	}
}

// An author who adds one child before another gets it created first, where the API server cares.
func TestChildrenThatNeedEachOtherAreNotRefused(t *testing.T) {
	cluster, ledger := run(t, func(context.Context, *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		listPages(want, createsAtOnce)
		return &ledgerResponse{Children: want}, nil
	}, configure(func(c *operatortest.Config) {
		c.Faults = []operatortest.Fault{{Verb: "create", Resource: "configmaps", Nth: createsAtOnce, Once: true, When: operatortest.Instead, What: operatortest.RefuseForbidden}}
	}))
	cluster.Reconciled(ledger)
	cluster.Converged(ledger)
	if failed := cluster.Errors(ledger); len(failed) > 0 {
		t.Errorf("errors %v", failed)
	}
}

// An API server that answers nothing costs the time of a few requests. What the reconcile has not come
// to is first in the next one.
func TestReconcileStopsAfterThreeTransientErrors(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		if req.Parent.Spec.Text != "one" {
			listPages(want, 5*createsAtOnce)
		}
		want.Deployments.Add(deployment("web", corev1.EnvVar{Name: "TEXT", Value: req.Parent.Spec.Text}))
		return &ledgerResponse{Children: want}, nil
	})
	cluster.Reconciled(ledger)
	refused := operatortest.Fault{Verb: "create", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseUnavailable}
	cluster.Inject(refused)
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Eventually("the Deployment is changed all the same", func() error {
		for _, d := range operatortest.ChildrenOf[*appsv1.Deployment](cluster, ledger) {
			if d.Spec.Template.Spec.Containers[0].Env[0].Value == "two" {
				return nil
			}
		}
		return fmt.Errorf("it is not")
	})
	tried, reconciles := cluster.Struck(refused), len(cluster.ReconcileResults(ledger))
	if tried > createsAtOnce*reconciles {
		t.Errorf("%d creates were tried in %d reconciles", tried, reconciles)
	}
	cluster.ClearFaults()
	cluster.Advance(time.Hour)
	cluster.Reconciled(ledger)
	cluster.Converged(ledger)
}
