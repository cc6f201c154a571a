package operatortest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestConvergedAcceptsAConvergedOperator(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	cluster.Converged(ledger)
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Converged()
	cluster.Restart()
	cluster.Converged()
}

// hotLoops are Sync functions that never converge, and what Converged has to say.
func hotLoops() map[string]struct {
	sync ledgerSync
	says []string
} {
	var reconciles counter
	type loop = struct {
		sync ledgerSync
		says []string
	}
	return map[string]loop{
		"status": {
			func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				return &ledgerResponse{Status: &LedgerStatus{Phase: fmt.Sprint("seen ", reconciles.next())}}, nil
			},
			[]string{"the operator does not settle:", "patch ledgers/status web: 200", "what the writes changed in ledgers/status ", "status.phase:\n    - \"seen ", "    + \"seen "},
		},
		"annotation": {
			func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				child := textMap(req.Parent.Name, "same")
				metav1.SetMetaDataAnnotation(&child.ObjectMeta, "nonce", fmt.Sprint(reconciles.next()))
				want := new(ledgerChildren)
				want.ConfigMaps.Add(child)
				return &ledgerResponse{Children: want}, nil
			},
			[]string{"patch configmaps web: 200", "what the writes changed in configmaps ", "metadata.annotations.nonce:\n    - \"", "    + \""},
		},
		"clock": { // nothing comes of its writes: only a forced reconcile shows it
			func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				current, ok := req.Children.ConfigMaps.Get(req.Parent.Name)
				if ok && req.Now.Sub(current.CreationTimestamp.Time) < time.Hour {
					return &ledgerResponse{}, nil
				}
				want := new(ledgerChildren)
				want.ConfigMaps.Add(textMap(req.Parent.Name, req.Now.Format(time.RFC3339)))
				return &ledgerResponse{Children: want}, nil
			},
			[]string{"patch configmaps web: 200", "data.text:\n    - \"20"},
		},
		"past": { // a deadline that has passed long ago
			func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				return &ledgerResponse{RequeueAfter: time.Unix(0, 0).Sub(req.Now)}, nil
			},
			[]string{"not converged: Sync asks for a reconcile of Ledger web at a time that has passed, again and again: RequeueAfter is negative"},
		},
		"failure": {
			func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				return nil, fmt.Errorf("the disk is full")
			},
			[]string{"a reconcile of Ledger web failed with reason SyncFailed: the disk is full"},
		},
	}
}

func TestConvergedCatchesHotLoops(t *testing.T) {
	for name, loop := range hotLoops() {
		t.Run(name, func(t *testing.T) {
			expectFailure(t, "hot loop/"+name, loop.says...)
		})
	}
}

// hotLoop is a test of an operator that never converges.
func hotLoop(t *testing.T, name string) {
	cluster, ledger := run(t, hotLoops()[name].sync)
	if name == "clock" {
		cluster.Exists(textMap("web", ""))
		cluster.Settled() // or the event of its own write is answered an hour later
		cluster.Advance(time.Hour)
	}
	cluster.Converged(ledger)
}
