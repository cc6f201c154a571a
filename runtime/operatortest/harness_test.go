package operatortest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestReconcileMakesNoRequest(t *testing.T) {
	var syncs counter
	cluster, ledger := run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		syncs.next()
		return copyOut(ctx, req)
	})
	before := cluster.Settled()
	for range 3 {
		made := syncs.next()
		cluster.Reconciled(ledger)
		if now := syncs.next(); now != made+2 { // this call, and one of Sync
			t.Fatalf("Sync was called %d times", now-made-1)
		}
	}
	if requests := cluster.Requests()[before:]; cluster.Settled() != before {
		t.Errorf("made %v", requests)
	}
}

func TestReconcileSeesTheParentAsItIs(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	for _, text := range []string{"two", "three", "four"} {
		cluster.Update(ledger, func() { ledger.Spec.Text = text })
		cluster.Reconciled(ledger)
		children := operatortest.ChildrenOf[*corev1.ConfigMap](cluster, ledger)
		if len(children) != 1 || children[0].Data["text"] != text {
			t.Fatalf("after a reconcile with %q: %v", text, children)
		}
	}
}

func TestErrorsAreCounted(t *testing.T) {
	cluster, ledger := run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		if req.Parent.Spec.Text == "wrong" {
			return nil, errors.New("there is no such text")
		}
		return copyOut(ctx, req)
	})
	cluster.Reconciled(ledger)
	if failed := cluster.Errors(ledger); len(failed) != 0 {
		t.Errorf("errors %v before any", failed)
	}
	cluster.Update(ledger, func() { ledger.Spec.Text = "wrong" })
	for range 3 { // at once, and not when a retry is due
		result := cluster.Reconcile(ledger)
		if result.Err == nil || !strings.Contains(result.Err.Error(), "no such text") || result.RequeueAfter == 0 {
			t.Fatalf("reconcile %+v", result)
		}
	}
	if failed := cluster.Errors(ledger); failed["SyncFailed"] < 3 || len(failed) != 1 {
		t.Errorf("errors %v", failed)
	}
	cluster.Update(ledger, func() { ledger.Spec.Text = "right" })
	cluster.Reconciled(ledger)
	cluster.Converged()
}

func TestMatchesAndChildren(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	cluster.Matches(
		&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Phase: "Copied", Conditions: []metav1.Condition{
			{Type: "Ready", Status: metav1.ConditionTrue},
		}}},
		textMap("web", "one"),
	)
	cluster.Create(textMap("unrelated", ""))
	children := cluster.Children(ledger)
	if len(children) != 1 || children[0].GetName() != "web" {
		t.Errorf("children %v", children)
	}
	cluster.Delete(ledger)
	cluster.Gone(ledger, textMap("web", ""))
}

func TestTheClientCountsWhatTheAuditLogSays(t *testing.T) {
	if os.Getenv("OPGEN_AUDIT_LOG") == "" {
		t.Skip("OPGEN_AUDIT_LOG is not set: run make test")
	}
	cluster, ledger := run(t, copyOut)
	cluster.Converged(ledger)
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Converged(ledger)
	cluster.Delete(textMap("web", ""))
	cluster.Converged(ledger)
	logged, sent := tally(cluster.Requests()), tally(cluster.Sent())
	if !maps.Equal(logged, sent) || len(sent) == 0 {
		t.Errorf("the audit log has %v, the client sent %v", logged, sent)
	}
}

func tally(requests []operatortest.Request) map[operatortest.Request]int {
	counts := map[operatortest.Request]int{}
	for _, request := range requests {
		counts[request]++
	}
	return counts
}

func TestAdvanceRunsWhatBecomesDue(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 30, 0, 0, time.UTC)
	var ticks []string
	cluster, _ := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		next := req.Now.Truncate(time.Hour).Add(time.Hour)
		ticks = append(ticks, req.Now.UTC().Format("15:04"))
		return &ledgerResponse{RequeueAfter: next.Sub(req.Now)}, nil
	}, configure(func(config *operatortest.Config) { config.Now = start }))
	cluster.Settled()
	ticks = nil
	began := time.Now()
	cluster.Advance(3*time.Hour + 10*time.Minute)
	t.Logf("three hours and ten minutes took %v", time.Since(began))
	if got := strings.Join(ticks, " "); got != "01:00 02:00 03:00" {
		t.Errorf("reconciles at %s", got)
	}
	if now := cluster.Now().Sub(start); now < 190*time.Minute || now > 191*time.Minute {
		t.Errorf("the clock shows %v more", now)
	}
}

// TestWhatIsDueAfterAdvanceRunsAtItsTime advances the clock until shortly before what is due, which then comes by itself.
func TestWhatIsDueAfterAdvanceRunsAtItsTime(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		response, deadline := &ledgerResponse{Status: &LedgerStatus{Phase: "Young"}}, req.Parent.CreationTimestamp.Add(time.Hour)
		if req.Now.Before(deadline) {
			response.RequeueAt(req.Now, deadline)
		} else {
			response.Status.Phase = "Old"
		}
		return response, nil
	})
	cluster.Converged(ledger)
	cluster.Advance(ledger.CreationTimestamp.Add(time.Hour - 500*time.Millisecond).Sub(cluster.Now()))
	cluster.Matches(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Phase: "Old"}})
	cluster.Converged(ledger)
}

func TestTimePassesWhileTheOperatorIsStopped(t *testing.T) {
	var reconciles []time.Time
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		reconciles = append(reconciles, req.Now)
		return &ledgerResponse{RequeueAfter: time.Hour}, nil
	})
	cluster.Settled()
	cluster.Stop()
	before, last := len(reconciles), reconciles[len(reconciles)-1]
	cluster.Advance(24 * time.Hour)
	if len(reconciles) != before {
		t.Error("a stopped operator reconciled")
	}
	cluster.Restart()
	cluster.Reconciled(ledger)
	if since := reconciles[before].Sub(last); since < 24*time.Hour || since > 25*time.Hour {
		t.Errorf("the first reconcile afterwards was %v after the last one, want a day", since)
	}
}

// TestAdvanceWaitsUntilTheOperatorIsIdle advances the clock while others keep the operator at work: no wait of the operator for
// its own cache may seem longer for it, and nothing that is due a time after a reconcile may be late.
func TestAdvanceWaitsUntilTheOperatorIsIdle(t *testing.T) {
	var stale atomic.Bool
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		stale.CompareAndSwap(false, slices.ContainsFunc(req.Parent.Status.Conditions, func(c metav1.Condition) bool { return c.Reason == "CacheStale" }))
		want := new(ledgerChildren)
		want.ConfigMaps.Add(textMap("web", req.Parent.Spec.Text))
		deadline, phase := req.Parent.CreationTimestamp.Add(time.Hour), "Young"
		response := &ledgerResponse{Children: want}
		if req.Now.Before(deadline) {
			response.RequeueAt(req.Now, deadline)
		} else {
			phase = "Old"
		}
		response.Status = &LedgerStatus{Phase: phase}
		return response, nil
	})
	cluster.Converged(ledger)
	for i := range 20 {
		if i == 16 {
			cluster.Inject(operatortest.Fault{Verb: "patch", Nth: 1, When: operatortest.Before, What: operatortest.DelayWatches})
		}
		cluster.Update(ledger, func() { ledger.Spec.Text = fmt.Sprint(i) })
		for j := range 3 {
			child := textMap("web", "")
			cluster.Update(child, func() { child.Data = map[string]string{"text": fmt.Sprint("drift", i, j)} })
		}
		cluster.Advance(4 * time.Minute)
		if cluster.Get(ledger); slices.ContainsFunc(ledger.Status.Conditions, func(c metav1.Condition) bool { return c.Reason == "CacheStale" }) {
			t.Fatalf("after %d minutes: %v", 4*(i+1), ledger.Status.Conditions)
		}
	}
	cluster.Settled()
	if cluster.Get(ledger); ledger.Status.Phase != "Old" || stale.Load() {
		t.Errorf("phase %s after 80 minutes; stale %t", ledger.Status.Phase, stale.Load())
	}
}
