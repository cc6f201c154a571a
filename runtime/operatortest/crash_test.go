package operatortest_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// seen are the texts that Sync was called with, with those of the child.
type seen struct {
	mu    sync.Mutex
	texts []string
}

func (s *seen) sync(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	text := req.Parent.Spec.Text + " none"
	if child, ok := req.Children.ConfigMaps.Get(req.Parent.Name); ok {
		text = req.Parent.Spec.Text + " " + child.Data["text"]
	}
	s.mu.Lock()
	s.texts = append(s.texts, text)
	s.mu.Unlock()
	return copyOut(ctx, req)
}

// from returns the texts after the first n, without repetition.
func (s *seen) from(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Clone(s.texts[n:]))
}

func TestAfterTimeTravelCachesBeginInThePast(t *testing.T) {
	s := new(seen)
	cluster, ledger := run(t, s.sync)
	cluster.Converged(ledger)
	fault := operatortest.Fault{Verb: "patch", Resource: "configmaps", Nth: 3, When: operatortest.After, What: operatortest.TimeTravel}
	cluster.Inject(fault)
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Converged(ledger)
	cluster.MarkPast()
	cluster.Update(ledger, func() { ledger.Spec.Text = "three" })
	cluster.Converged(ledger)
	before := len(s.from(0))
	cluster.Update(ledger, func() { ledger.Spec.Text = "four" })
	cluster.Eventually("the operator crashes", func() error { return struck(cluster, fault) })
	cluster.Matches(textMap("web", "four"))
	cluster.Converged(ledger)
	t.Log(before, s.from(0))
	if got := s.from(0)[before:]; len(got) < 2 || !slices.Contains(got, "two two") {
		t.Errorf("after the crash Sync saw %q, want the parent and the child of the past first", got)
	}
	_ = time.Now
}
