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
	metadataConflict *backoff.Conflict // see [writer]
	statusConflict   *backoff.Conflict
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
	limit := r.loop.definition.Retries
	err := r.state.giveUpIfLast(errors.Join(done.err, r.cleanupErr, r.restorer.err), limit)
	made := report{children: done.children, err: err, heldPrunes: done.prunes.heldText, isFinalizing: r.isFinalizing(), metadataConflict: r.writer.metadataConflict}
	conditions := r.findConditions(made)
	if !r.delaysReport(err) {
		refused := r.writer.writeStatus(ctx, response, conditions, err)
		if failed, ok := errors.AsType[backoff.Failed](refused); ok && !failed.IsYoung(r.loop.now()) { // leave out the author's part, and say so
			err = errors.Join(err, refused)
			made.err = err
			conditions = r.findConditions(made)
			refused = r.writer.writeStatus(ctx, new(declared.Response), conditions, err)
		}
		if isStale(refused) {
			return outcome{err: refused}
		}
		err = r.state.giveUpIfLast(errors.Join(err, refused), limit)
	}
	made.statusConflict = r.writer.statusConflict
	r.recordEvents(response.Events, err)
	if !r.loop.definition.Status.HasConditions() {
		r.warnAboutConflicts(ctx, made.conflictTexts()...)
	}
	conditions = status.MergeConditions(status.Merge{Runtime: conditions, Author: response.Conditions, IsOurs: func(string) bool { return false }, Failed: err != nil, Now: r.now})
	r.countAnswer(ctx, observed, response, made.nextRequeue(r.now, max(response.RequeueAfter, 0)), err)
	r.state.hasTimer = response.RequeueAfter != 0
	requeue := made.nextRequeue(r.now, r.requestedRequeue(ctx, observed, response.RequeueAfter))
	if done.requeue > 0 && (requeue == 0 || done.requeue < requeue) {
		requeue = done.requeue
	}
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
// before that when a repair that was put off is due, or what admission has altered is to be
// written again.
func (r report) nextRequeue(now time.Time, requeue time.Duration) time.Duration {
	conflicts := []*backoff.Conflict{r.metadataConflict, r.statusConflict}
	for _, child := range r.children {
		conflicts = append(conflicts, child.conflict)
		if len(child.altered) > 0 && (requeue == 0 || backoff.Altered < requeue) {
			requeue = backoff.Altered
		}
	}
	for _, conflict := range conflicts {
		if conflict == nil {
			continue
		}
		if left := max(conflict.Retry.Sub(now), time.Millisecond); requeue == 0 || left < requeue {
			requeue = left
		}
	}
	return requeue
}
