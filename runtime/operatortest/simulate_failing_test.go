package operatortest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// recorder is a test that is to fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }

func (r *recorder) Fatal(args ...any) { r.Errorf("%s", fmt.Sprint(args...)); runtime.Goexit() }

type partsSimulation = operatortest.Simulation[*Ledger, parts, struct{}, desiredParts, LedgerStatus]

// TestSimulationFails plays authors whose tests have to fail.
func TestSimulationFails(t *testing.T) {
	counting := func() partsSync {
		count := 0
		return func(context.Context, *partsRequest) (*partsResponse, error) {
			count++
			return &partsResponse{Status: &LedgerStatus{Phase: fmt.Sprint(count)}, RequeueAfter: -1}, nil
		}
	}
	answering := func(response *partsResponse, err error) partsSync {
		return func(context.Context, *partsRequest) (*partsResponse, error) { return response, err }
	}
	idle := answering(&partsResponse{}, nil)
	for name, test := range map[string]struct {
		sync partsSync
		act  func(*partsSimulation)
		says string
	}{
		"a hot loop": {counting(), func(s *partsSimulation) { s.Converged() },
			"the simulation does not converge: step 20 still changes (-before +after):\nLedger web status.phase:\n  - \"19\"\n  + \"20\"\n"},
		"a requeue in the past": {counting(), func(s *partsSimulation) { s.Step(); s.Advance(time.Hour) },
			"Sync asks for a reconcile at a time that has passed, again and again: RequeueAfter is negative"},
		"an error":         {answering(nil, errors.New("not today")), func(s *partsSimulation) { s.Step() }, "unexpected error: not today"},
		"no answer":        {answering(nil, nil), func(s *partsSimulation) { s.Step() }, "Sync returned neither a response nor an error"},
		"Finalized":        {answering(&partsResponse{Finalized: true}, nil), func(s *partsSimulation) { s.Step() }, "only Finalize may"},
		"no Finalize":      {idle, func(s *partsSimulation) { s.Delete(s.Parent); s.Step() }, "the parent is deleted: set Finalize"},
		"a missing child":  {idle, func(s *partsSimulation) { s.MakeReady(named(&corev1.Pod{})) }, "make Pod web ready: it does not exist"},
		"never fails":      {idle, func(s *partsSimulation) { s.Create(textMap("web", "")); s.MakeFailed(textMap("web", "")) }, "objects of its kind never fail"},
		"an existing name": {idle, func(s *partsSimulation) { s.Create(textMap("web", ""), textMap("web", "")) }, "ConfigMap web exists"},
		"another kind":     {idle, func(s *partsSimulation) { s.Create(&corev1.Service{}) }, "is of no kind of children"},
		"a request":        {idle, func(s *partsSimulation) { s.Expect(partsCase{Given: partsRequest{Parent: s.Parent}}) }, "leave Given empty"},
		"another answer": {idle, func(s *partsSimulation) { s.Expect(partsCase{Expect: &partsResponse{RequeueAfter: time.Hour}}) },
			"RequeueAfter:\n  - 3600000000000\n  + 0"},
		"after the end": {idle, func(s *partsSimulation) {
			s.Finalize = answering(&partsResponse{Finalized: true}, nil)
			s.Delete(s.Parent)
			s.Step()
			s.Step()
		}, "the parent is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			failing, done := &recorder{TB: t}, make(chan struct{})
			go func() {
				defer close(done)
				test.act(operatortest.Simulate(failing, test.sync, newLedger()))
			}()
			<-done
			if got := strings.Join(failing.failures, "\n"); !strings.Contains(got, test.says) {
				t.Errorf("it says:\n%s\nwant:\n%s", got, test.says)
			}
		})
	}
}
