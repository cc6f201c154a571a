package reconcile

import (
	"context"
	"errors"
	"time"

	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// outcome is how a reconcile ended.
type outcome struct {
	requeue   time.Duration // when the next reconcile is due; 0: when something changes
	isReady   bool
	prunesAll bool  // see [prunes]
	err       error // if it is stale, the reconcile has stopped half-way
}

// scheduleNext turns the outcome of a reconcile into when the next one is due. The state counts
// failures; see failure.go for how the work queue gets to know of them.
func (r *run) scheduleNext(ctx context.Context, observed *observed, end outcome) ctrl.Result {
	if isStale(end.err) {
		return r.repeatSoon(ctx, end.err)
	}
	if end.err != nil {
		left := r.writer.view(observed)
		if r.writer.changedMeanwhile {
			left.Parent = "" // as seen by no reconcile, so that none is delayed
		}
		delay := r.state.failures.Add(end.failure(left), r.now)
		reason := errorReason(end.err)
		r.test.Reason, r.test.Err = reason, end.err
		r.recordResultOf(ctx, reason, errorMessage(end.err))
		recordFailure(ctx, end.err, delay, r.parent.GetGeneration())
		return r.requeueAfter(delay)
	}
	r.state.failures = backoff.Failures{}
	// A reconcile that has nothing to prune does not end an edit: a child may stand in for another one
	// until that is ready.
	r.state.isEdited = r.state.isEdited && (!end.isReady || !end.prunesAll)
	r.recordResultOf(ctx, "success", "")
	if end.isReady {
		r.countConvergence()
	}
	return r.requeueAfter(end.requeue)
}

// failure returns the failure of a reconcile as it counts. left is what the reconcile leaves behind.
func (end outcome) failure(left backoff.View) backoff.Failure {
	requeue := end.requeue
	if errors.As(end.err, new(errGaveUp)) {
		requeue = 0
	}
	return backoff.Failure{Err: end.err, Requeue: requeue, IsTerminal: isTerminal(end.err), NameConflict: errors.As(end.err, new(apply.ErrNameConflict)), View: left}
}

// repeatSoon ends a stale reconcile.
func (r *run) repeatSoon(ctx context.Context, stale error) ctrl.Result {
	r.test.IsStale = true
	if errors.As(stale, new(errPutOff)) {
		r.recordResultOf(ctx, "slow", stale.Error())
		r.loop.slowCalls.wait(r.name())
		return ctrl.Result{}
	}
	r.recordResultOf(ctx, "stale", "")
	return ctrl.Result{RequeueAfter: backoff.Stale}
}

// requeueAfter returns the result for a reconcile that is due after some time; 0: never. The work
// queue keeps the priority of a reconcile for the next one, which is low if the parent was listed
// at a start or by a resync. A time that the author asked for does not wait behind all others.
func (r *run) requeueAfter(wait time.Duration) ctrl.Result {
	result := ctrl.Result{RequeueAfter: wait}
	if r.state.hasTimer {
		result.Priority = new(0)
	}
	return result
}

// recordResultOf counts a reconcile that ended with this result, and sets it in the span.
func (r *run) recordResultOf(ctx context.Context, result, message string) {
	r.loop.environment.Metrics.CountReconcile(r.loop.definition.Name, result, r.loop.now().Sub(r.now))
	process.SetResult(ctx, result, message)
}
