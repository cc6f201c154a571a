package reconcile

import (
	"context"
	"errors"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestFailuresAreCountedAndKeepTheirDelay(t *testing.T) {
	priority := 7
	for name, test := range map[string]struct {
		result   ctrl.Result
		failed   error // that is recorded
		returned error // by the reconcile
		want     ctrl.Result
		says     string
		terminal bool
		delay    time.Duration // of the rate limiter
	}{
		"a success":                      {result: ctrl.Result{RequeueAfter: time.Hour}, want: ctrl.Result{RequeueAfter: time.Hour}},
		"an error of the cache":          {returned: errors.New("no cache"), says: "no cache", delay: 5 * time.Millisecond},
		"an error that is retried":       {result: ctrl.Result{RequeueAfter: time.Minute, Priority: &priority}, failed: errors.New("no database"), want: ctrl.Result{Priority: &priority}, says: "no database", delay: time.Minute},
		"an error that waits for events": {failed: errors.New("no database"), says: "terminal error: no database", terminal: true},
	} {
		t.Run(name, func(t *testing.T) {
			limiter, request := newRetryLimiter(), ctrl.Request{}
			got, err := countFailures(ctrl.Func(func(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
				if test.failed != nil {
					recordFailure(ctx, test.failed, test.result.RequeueAfter, 1)
				}
				return test.result, test.returned
			}), limiter).Reconcile(t.Context(), request)
			if got != test.want {
				t.Errorf("result is %+v, want %+v", got, test.want)
			}
			if (err == nil) != (test.says == "") || err != nil && err.Error() != test.says {
				t.Errorf("error is %v, want %q", err, test.says)
			}
			if isTerminal := errors.Is(err, ctrl.TerminalError(nil)); isTerminal != test.terminal {
				t.Errorf("the error is terminal: %t", isTerminal)
			}
			if test.delay > 0 && limiter.When(request) != test.delay {
				t.Error("the delay of the retry is another one")
			}
			if next := limiter.When(request); err == nil && next != 5*time.Millisecond {
				t.Errorf("the next delay is %s", next)
			}
		})
	}
}

func TestAPanicOfTheAuthorReachesControllerRuntime(t *testing.T) {
	limiter := newRetryLimiter()
	defer func() {
		if value := recover(); value != "no such thing" || limiter.When(ctrl.Request{}) != time.Second {
			t.Errorf("it recovers %v, or with another delay", value)
		}
	}()
	_, err := countFailures(ctrl.Func(func(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
		recordFailure(ctx, errPanic{"no such thing"}, time.Second, 1)
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}), limiter).Reconcile(t.Context(), ctrl.Request{})
	t.Error("no panic, but", err)
}
