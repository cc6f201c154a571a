package operatortest_test

import (
	"context"
	"fmt"
	"net/http"
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
	s.note(text)
	return copyOut(ctx, req)
}

func (s *seen) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, text)
}

// all returns the texts in their order.
func (s *seen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.texts)
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
	before := len(s.all())
	cluster.Update(ledger, func() { ledger.Spec.Text = "four" })
	cluster.Eventually("the operator crashes", func() error { return struck(cluster, fault) })
	cluster.Matches(textMap("web", "four"))
	cluster.Converged(ledger)
	if got := s.all()[before:]; !slices.Contains(got, "two two") {
		t.Errorf("after the crash Sync saw %q, want the parent and the child of the past first", got)
	}
}

func TestWatchesThatAreLateDelayWhatTheOperatorDoes(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	cluster.Converged(ledger)
	fault := operatortest.Fault{Verb: "patch", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.DelayWatches}
	cluster.Inject(fault)
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Eventually("watches are late", func() error { return struck(cluster, fault) })
	began := time.Now()
	cluster.Update(ledger, func() { ledger.Spec.Text = "three" })
	cluster.Matches(textMap("web", "three"))
	if took := time.Since(began); took < 200*time.Millisecond {
		t.Errorf("the operator saw the change after %s", took)
	}
	cluster.Converged(ledger)
}

func TestWatchesThatAreCutBeginAgain(t *testing.T) {
	var watches counter
	cluster, ledger := run(t, copyOut, configure(func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper {
			return through(func(request *http.Request) (*http.Response, error) {
				if request.URL.Query().Get("watch") != "" {
					watches.next()
				}
				return next.RoundTrip(request)
			})
		}
	}))
	cluster.Converged(ledger)
	before := watches.next()
	cluster.Inject(operatortest.Fault{Nth: 1, When: operatortest.After, What: operatortest.CutWatches})
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Eventually("the four watches begin again", func() error {
		if again := watches.next() - before; again < 4 {
			return fmt.Errorf("there are %d", again)
		}
		return nil
	})
}

func TestARefusalThatIsThereAtTheStart(t *testing.T) {
	fault := operatortest.Fault{Verb: "watch", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseUnavailable}
	cluster, ledger := run(t, copyOut, configure(func(config *operatortest.Config) { config.Faults = []operatortest.Fault{fault} }))
	cluster.Eventually("the watch is refused", func() error { return struck(cluster, fault) })
	if cluster.Get(textMap("web", "")) {
		t.Error("the operator worked without a cache")
	}
	cluster.ClearFaults()
	cluster.Matches(textMap("web", "one"))
	cluster.Converged(ledger)
}
