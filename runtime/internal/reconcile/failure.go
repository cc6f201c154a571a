package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// The state of a parent decides when a failed reconcile is repeated. controller-runtime and its work
// queue count the failure all the same, in their own metrics: they get the error, and a rate limiter
// that answers with the delay of the state.

// errReconcile is a failed reconcile as controller-runtime counts and logs it.
type errReconcile struct {
	reason, message string
	panicked        any // what the author's code panicked with; nil if it did not
	retry           time.Duration
	generation      int64  // of the parent
	trace           string // the ID of the trace; empty: there is none
}

func (e errReconcile) Error() string { return e.message }

// LogAttributes returns what the log shows beside the error.
func (e errReconcile) LogAttributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("reason", e.reason), slog.String("retry", e.retry.String()), slog.Int64("generation", e.generation)}
	if e.trace != "" {
		attributes = append(attributes, slog.String("traceID", e.trace))
	}
	return attributes
}

// failureKey is the key of the failure of a reconcile in its context.
type failureKey struct{}

// recordFailure records that the reconcile of a context has failed, of a generation of the parent. retry is
// when the next one is due; 0: when something changes.
func recordFailure(ctx context.Context, err error, retry time.Duration, generation int64) {
	recorded, ok := ctx.Value(failureKey{}).(*errReconcile)
	if !ok {
		return
	}
	*recorded = errReconcile{reason: errorReason(err), message: errorMessage(err), retry: retry, generation: generation, trace: process.TraceID(ctx)}
	if panicked, ok := errors.AsType[errPanic](err); ok {
		recorded.panicked = panicked.value
	}
}

// countFailures returns a reconciler whose failures controller-runtime counts. It panics again
// after a panic of the author's code, which controller-runtime recovers.
func countFailures(inner ctrl.Reconciler, limiter *retryLimiter) ctrl.Reconciler {
	return ctrl.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
		failure := new(errReconcile)
		result, err := inner.Reconcile(context.WithValue(ctx, failureKey{}, failure), request)
		switch {
		case err != nil || failure.reason == "":
			return result, err
		case result.RequeueAfter == 0:
			return ctrl.Result{}, ctrl.TerminalError(*failure)
		}
		limiter.set(request, result.RequeueAfter)
		if failure.panicked != nil {
			panic(fmt.Sprint(failure.panicked))
		}
		return ctrl.Result{Priority: result.Priority}, *failure
	})
}

// retryLimiter is a rate limiter that answers with the delays of failed reconciles. Of a parent without
// one, it answers as controller-runtime's own.
type retryLimiter struct {
	workqueue.TypedRateLimiter[ctrl.Request]
	mu     sync.Mutex
	delays map[ctrl.Request]time.Duration
}

func newRetryLimiter() *retryLimiter {
	return &retryLimiter{
		TypedRateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](5*time.Millisecond, 1000*time.Second),
		delays:           map[ctrl.Request]time.Duration{},
	}
}

// set sets the delay of the next retry.
func (l *retryLimiter) set(request ctrl.Request, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delays[request] = delay
}

// When returns when a parent is retried.
func (l *retryLimiter) When(request ctrl.Request) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delay, ok := l.delays[request]; ok {
		delete(l.delays, request)
		return delay
	}
	return l.TypedRateLimiter.When(request)
}
