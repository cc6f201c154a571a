package reconcile

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// report is what a reconcile shows of the parent and its children: its conditions and the time of the next
// reconcile follow from it.
type report struct {
	children         []child
	err              error
	heldPrunes       string            // see [prunes]
	isFinalizing     bool              // the parent's children are to go
	hasFinalized     bool              // Finalize has returned Finalized
	requeue          time.Duration     // as in [applied]
	metadataConflict *backoff.Conflict // see [writer]
	statusConflict   *backoff.Conflict
	statusRetry      time.Time // see [writer]

	deletionConflicts []deletionConflict
	patches           []patchResult
}

// reportOutcome writes the status, the Events and the result of a reconcile.
func (r *run) reportOutcome(ctx context.Context, observed *observed, response *declared.Response, done applied) outcome {
	switch {
	case isStale(done.err):
		return outcome{err: done.err}
	case ctx.Err() != nil: // a reconcile that is told to stop shows no error
		return outcome{err: errStale{ctx.Err()}}
	}
	r.recordResult(done)
	deletions, invalid := r.planDeletions(done.prunes.deletions)
	own := errors.Join(done.err, invalid, r.cleanupErr, r.restorer.err)
	err := r.concludeError(errors.Join(own, deletions.failed))
	made := report{
		children: done.children, err: err, heldPrunes: done.prunes.heldText, isFinalizing: r.isFinalizing(), hasFinalized: response.Finalized, requeue: done.requeue,
		metadataConflict: r.writer.metadataConflict, deletionConflicts: deletions.conflicts, patches: done.patches,
	}
	conditions := r.findConditions(made)
	if !r.delaysReport(err) && !r.showsNothingOf(err) {
		refused := r.writer.writeStatus(ctx, response, conditions, err)
		if failed, ok := errors.AsType[backoff.Failed](refused); ok && !failed.IsYoung(r.loop.now()) { // leave out the author's part, and say so
			own, err = errors.Join(own, refused), errors.Join(err, refused)
			made.err = err
			conditions = r.findConditions(made)
			first := refused
			if refused = r.writer.writeStatus(ctx, new(declared.Response), conditions, err); isSameError(refused, first) {
				refused = nil // err has it
			}
		}
		if isStale(refused) {
			return outcome{err: refused}
		}
		own, err = errors.Join(own, refused), r.concludeError(errors.Join(err, refused))
	}
	if own == nil && len(deletions.due) > 0 {
		failed, refused := r.deleteAndReport(ctx, response, &made, deletions)
		if isStale(failed) || isStale(refused) {
			return outcome{err: staleOrJoined(failed, refused)}
		}
		err = r.concludeError(errors.Join(failed, refused))
		made.err = err
		conditions = r.findConditions(made)
	}
	made.statusConflict, made.statusRetry = r.writer.statusConflict, r.writer.statusRetry
	r.recordEvents(response.Events, err)
	if !r.loop.definition.Status.HasConditions() {
		r.warnAboutConflicts(ctx, made.conflictTexts()...)
	}
	conditions = status.MergeConditions(status.Merge{Runtime: conditions, Author: response.Conditions, IsOurs: func(string) bool { return false }, Failed: err != nil, Now: r.now})
	r.countAnswer(ctx, observed, response, made.nextRequeue(r.now, max(response.RequeueAfter, 0)), err)
	r.state.hasTimer = response.RequeueAfter != 0
	requeue := made.nextRequeue(r.now, r.requestedRequeue(ctx, observed, response.RequeueAfter))
	if err == nil {
		r.request.completeRequest()
	}
	return outcome{requeue: requeue, isReady: status.IsReady(conditions, 0), prunesAll: done.prunes.isAll, err: err}
}

// findConditions returns the runtime's conditions at the end of a reconcile, and that of a
// request which it has handled.
func (r *run) findConditions(made report) []metav1.Condition {
	conditions := made.readyConditions()
	if made.err == nil {
		conditions = append(conditions, r.request.handledCondition()...)
	}
	return conditions
}

// nextRequeue returns when the next reconcile is due: at the requeue that the author asked for, or
// before that when a repair that was put off is due, what admission has altered or the CRD has dropped is to be written again,
// an adoption ends, or an eviction is retried.
func (r report) nextRequeue(now time.Time, requeue time.Duration) time.Duration {
	requeue = earlier(requeue, r.requeue)
	if !r.statusRetry.IsZero() {
		requeue = earlier(requeue, max(r.statusRetry.Sub(now), time.Millisecond))
	}
	conflicts := []*backoff.Conflict{r.metadataConflict, r.statusConflict}
	for _, child := range r.children {
		conflicts = append(conflicts, child.conflict)
		if len(child.altered) > 0 {
			requeue = earlier(requeue, backoff.Altered)
		}
	}
	for _, patch := range r.patches {
		conflicts = append(conflicts, patch.conflict)
		if len(patch.altered) > 0 {
			requeue = earlier(requeue, backoff.Altered)
		}
	}
	for i := range r.deletionConflicts {
		conflicts = append(conflicts, &r.deletionConflicts[i].Conflict)
	}
	for _, conflict := range conflicts {
		if conflict != nil {
			requeue = earlier(requeue, max(conflict.Retry.Sub(now), time.Millisecond))
		}
	}
	return requeue
}

// earlier returns the shorter of two waits; 0: no wait.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// deleteAndReport deletes related objects, once the status is written. If the result is another one than
// the status says, it writes the status again: refused is the error of that.
func (r *run) deleteAndReport(ctx context.Context, response *declared.Response, made *report, plan deletions) (failed, refused error) {
	failed = r.writer.deleteRelated(ctx, plan.due)
	if isStale(failed) || r.delaysReport(failed) || isSameError(failed, plan.failed) {
		return failed, nil
	}
	made.err = r.concludeError(failed)
	return failed, r.writer.writeStatus(ctx, response, r.findConditions(*made), made.err)
}

// isSameError reports whether two errors say the same; so do two that are nil.
func isSameError(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}
