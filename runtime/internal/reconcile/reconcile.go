package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/status"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// outcome is how a reconcile ended.
type outcome struct {
	isStale bool          // the cache was out of date, so the reconcile stopped half-way
	requeue time.Duration // when the next reconcile is due; 0: when something changes
	isReady bool
	err     error
}

// reconcile reconciles the parent that a request names. See the table of steps in doc.go.
func (l *loop) reconcile(ctx context.Context, request ctrl.Request, test *testcontrol.Reconcile) (ctrl.Result, error) {
	ctx = l.environment.ReconcileContext(ctx)
	if ctx == nil {
		return ctrl.Result{}, nil
	}
	if l.environment.Observe {
		observed, end := l.observations.Start(ctx, request.NamespacedName)
		defer func() {
			if state := l.states.get(request.NamespacedName); end() && state != nil {
				state.forgetWrites()
			}
		}()
		ctx = observed
	}
	var r *run
	defer func() { l.slowCalls.leave(r != nil && r.hasRoom) }()
	r, isStale, err := l.startRun(ctx, request.NamespacedName)
	if isStale {
		test.SetStale()
		return waitForCache(ctx, l, r), nil
	}
	if r == nil || err != nil {
		return ctrl.Result{}, err
	}
	r.test = test
	l.lagging.end(&r.state.lag)
	recordParent(r)
	if r.isDeleting() && !controllerutil.ContainsFinalizer(r.parent, l.finalizer) {
		l.forgetRelated(request.NamespacedName)
		return ctrl.Result{}, nil // the garbage collector does the rest
	}
	missing := r.state.missing.list() // what is missing later is not in the snapshot either
	observed, err := observeChildren(l, r.parent)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !l.selector.matches(r.parent) && isUntouched(r, observed) {
		return ctrl.Result{}, leaveParent(ctx, r)
	}
	isStale, orphaningErr := noteOrphaning(ctx, r)
	if isStale {
		test.SetStale()
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	}
	if suspension := findSuspension(r); suspension != nil {
		if orphaningErr != nil {
			return ctrl.Result{}, orphaningErr
		}
		return suspendParent(ctx, r, observed, *suspension)
	}
	if r.state.isBusy() {
		return ctrl.Result{RequeueAfter: backoff.CallGrace}, nil
	}
	if r.waitForRoom() {
		test.SetDelayed()
		return ctrl.Result{}, nil
	}
	var relatedErr error
	observed.related, observed.isRelatedServed, relatedErr = observeRelated(ctx, r)
	if ctx.Err() != nil {
		return ctrl.Result{}, nil
	}
	if noteStale(r, relatedErr) {
		return scheduleNext(ctx, r, observed, outcome{isStale: true}), nil
	}
	r.state.startGeneration(r.parent.GetGeneration())
	r.state.startSpec(r.parent, l.definition.Status.GenerationOf(r.parent), !observed.isEmpty())
	r.seen = backoff.View{Objects: sumVersions(slices.Concat(observed.children, observed.related)), Parent: r.parent.GetResourceVersion()}
	if left, delayed := r.state.delay(r.seen, r.now); delayed && !test.IsForced() {
		test.SetDelayed()
		return r.requeueAfter(left), nil
	}
	if test.IsForced() {
		r.state.retryNow()
	}
	warnAboutCopies(ctx, r, observed.copies)
	ctx, span := process.StartReconcile(ctx, l.definition.Name, l.parentKind.GroupVersionKind, r.parent)
	defer span.End()
	r.requestToken = takeRequest(r)
	r.cleanupErr = cleanUpForParent(ctx, r)
	restoreErr := restoreBeforeCall(ctx, r, observed, missing)
	if errors.As(restoreErr, new(apply.ErrStale)) {
		return scheduleNext(ctx, r, observed, outcome{isStale: true}), nil
	}
	if err := cmp.Or(orphaningErr, relatedErr, restoreErr); err != nil {
		return scheduleNext(ctx, r, observed, reportOutcome(ctx, r, observed, new(Response), observed.all(), err)), nil
	}
	return scheduleNext(ctx, r, observed, limitStale(ctx, r, observed, syncOrFinalize(ctx, r, observed))), nil
}

// leaveParent forgets an object that is no parent any more and has nothing of this
// controller's left.
func leaveParent(ctx context.Context, r *run) error {
	if err := cleanUpForParent(ctx, r); err != nil {
		return err
	}
	r.loop.forget(r.name())
	r.loop.convergence.forget(r.parent)
	return nil
}

// syncOrFinalize brings the children and the parent to the desired state.
func syncOrFinalize(ctx context.Context, r *run, observed *observed) outcome {
	if r.isFinalizing() {
		return finalizeParent(ctx, r, observed)
	}
	r.state.wasSelected = true
	isStale, err := removeRecords(ctx, r)
	if !isStale && err == nil && r.loop.definition.Author.Finalize != nil { // before Sync has any effect
		isStale, err = addFinalizer(ctx, r)
	}
	switch {
	case isStale:
		return outcome{isStale: true}
	case err != nil:
		return reportOutcome(ctx, r, observed, new(Response), observed.all(), fmt.Errorf("write the finalizer: %w", err))
	}
	response, applied := callAndApply(ctx, r, observed)
	if applied.isStale || ctx.Err() != nil { // a reconcile that is told to stop shows no error
		return outcome{isStale: true}
	}
	return reportOutcome(ctx, r, observed, response, applied.children, applied.err)
}

// callAndApply calls the author's code and carries out what it desires of the children and
// of the parent's metadata. The error of applied is all that went wrong.
func callAndApply(ctx context.Context, r *run, observed *observed) (*Response, applied) {
	response, err := callAuthor(ctx, r, observed)
	done := applied{children: observed.all()}
	if noteStale(r, err) {
		return new(Response), applied{children: done.children, isStale: true}
	}
	if response == nil {
		response = new(Response)
	}
	if restored := restoreAfterCall(ctx, r, observed, response.Children); restored != nil {
		done.isStale, done.err = noteStale(r, restored), errors.Join(err, restored)
		return new(Response), done
	}
	switch {
	case response.Children != nil:
		done = applyDesired(ctx, r, observed, response.Children, err == nil && !response.Finalized)
	case err == nil:
		done = keepChildren(ctx, r, observed)
	}
	err = errors.Join(err, done.err)
	if done.isStale {
		done.err = err
		return response, done
	}
	response, failed := recordApplied(ctx, r, response, done.children)
	if noteStale(r, failed) {
		done.isStale, done.err = true, err
		return response, done
	}
	err = errors.Join(err, failed)
	isStale, refused := writeMetadata(ctx, r, response.Labels, response.Annotations)
	if refused != nil {
		err = errors.Join(err, fmt.Errorf("write the parent's labels and annotations: %w", refused))
	}
	done.isStale, done.err = isStale, err
	return response, done
}

// noteStale notes why a reconcile stops half-way, and nothing more of an answer is carried out: the code
// took a child for absent that exists, something has changed, a watch is being opened, or the call was put off. It reports false
// for other errors.
func noteStale(r *run, err error) (isStale bool) {
	if !errors.As(err, new(errRestored)) && !errors.As(err, new(apply.ErrStale)) && !errors.As(err, new(errPutOff)) && !errors.As(err, new(errFilling)) {
		return false
	}
	r.staleCause = err
	return true
}

// reportOutcome writes the status, the Events and the result of a reconcile.
func reportOutcome(ctx context.Context, r *run, observed *observed, response *Response, children []child, err error) outcome {
	limit := r.loop.definition.Retries
	err = errors.Join(err, r.cleanupErr, r.marksErr)
	err = giveUpIfLast(r.state, err, limit)
	conditions := runConditions(r, children, err)
	if !isHidden(r, err) {
		isStale, refused := writeStatus(ctx, r, response, conditions, err)
		if failed, ok := errors.AsType[backoff.Failed](refused); ok && !failed.IsYoung(r.loop.now()) { // leave out the author's part, and say so
			err = errors.Join(err, fmt.Errorf("write the status: %w", refused))
			conditions = runConditions(r, children, err)
			isStale, refused = writeStatus(ctx, r, new(Response), conditions, err)
		}
		if isStale {
			return outcome{isStale: true}
		}
		err = giveUpIfLast(r.state, errors.Join(err, refused), limit)
	}
	recordEvents(r, response.Events, err)
	if !r.loop.definition.Status.HasConditions() {
		warnAboutConflicts(ctx, r, conflictTexts(r, children)...)
	}
	conditions = status.MergeConditions(status.Merge{Runtime: conditions, Author: response.Conditions, IsOurs: func(string) bool { return false }, Failed: err != nil, Now: r.now})
	countAnswer(ctx, r, observed, response, nextRequeue(r, max(response.RequeueAfter, 0), children), err)
	r.state.hasTimer = response.RequeueAfter != 0
	requeue := nextRequeue(r, requestedRequeue(ctx, r, observed, response.RequeueAfter), children)
	if err == nil {
		completeRequest(r)
	}
	return outcome{requeue: requeue, isReady: status.IsReady(conditions, 0), err: err}
}

// nextRequeue returns when the next reconcile is due: at the requeue that the author asked for, or
// before that when a repair that was put off is due, or what admission has altered is to be
// written again.
func nextRequeue(r *run, requeue time.Duration, children []child) time.Duration {
	conflicts := []*backoff.Conflict{r.metadataConflict, r.statusConflict}
	for _, child := range children {
		conflicts = append(conflicts, child.conflict)
		if len(child.altered) > 0 && (requeue == 0 || backoff.Altered < requeue) {
			requeue = backoff.Altered
		}
	}
	for _, conflict := range conflicts {
		if conflict == nil {
			continue
		}
		if left := max(conflict.Retry.Sub(r.now), time.Millisecond); requeue == 0 || left < requeue {
			requeue = left
		}
	}
	return requeue
}

// scheduleNext turns the outcome of a reconcile into when the next one is due. The state counts
// failures, so the work queue never sees an error.
func scheduleNext(ctx context.Context, r *run, observed *observed, end outcome) ctrl.Result {
	if end.err != nil {
		failure := backoff.Failure{Err: end.err, Requeue: end.requeue, IsTerminal: isTerminal(end.err), NameConflict: errors.As(end.err, new(apply.ErrNameConflict)), View: r.view(observed)}
		if errors.As(end.err, new(errGaveUp)) {
			failure.Requeue = 0
		}
		if r.changedMeanwhile {
			failure.View.Parent = "" // as seen by no reconcile, so that none is delayed
		}
		delay := r.state.failures.Add(failure, r.now)
		reason := errorReason(end.err)
		r.test.SetError(reason, end.err)
		countReconcile(ctx, r, reason, errorMessage(end.err))
		log.FromContext(ctx).Error(end.err, "reconcile failed", "reason", reason, "retry", delay.String())
		return r.requeueAfter(delay)
	}
	if r.isPutOff() {
		r.test.SetStale()
		countReconcile(ctx, r, "slow", r.staleCause.Error())
		r.loop.slowCalls.wait(r.name())
		return ctrl.Result{}
	}
	if end.isStale {
		r.test.SetStale()
		countReconcile(ctx, r, "stale", "")
		return ctrl.Result{RequeueAfter: backoff.Stale}
	}
	r.state.failures = backoff.Failures{}
	r.endSpec(end.isReady)
	countReconcile(ctx, r, "success", "")
	if end.isReady {
		countConvergence(r)
	}
	return r.requeueAfter(end.requeue)
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

// countReconcile counts a reconcile that ended with this result, and sets it in the span.
func countReconcile(ctx context.Context, r *run, result, message string) {
	r.loop.environment.Metrics.CountReconcile(r.loop.definition.Name, result, r.loop.now().Sub(r.now))
	process.SetResult(ctx, result, message)
}
