package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/status"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// outcome is how a reconcile ended.
type outcome struct {
	requeue time.Duration // when the next reconcile is due; 0: when something changes
	isReady bool
	err     error // if it is stale, the reconcile has stopped half-way
}

// reconcile reconciles the parent that a request names. See the table of steps in doc.go.
func (l *loop) reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	test := testcontrol.ReconcileOf(ctx)
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
	r, err := l.startRun(ctx, request.NamespacedName)
	if isStale(err) {
		test.SetStale()
		return l.waitForCache(ctx, r), nil
	}
	if r == nil || err != nil {
		return ctrl.Result{}, err
	}
	r.test = test
	l.lagging.end(&r.state.lag)
	r.recordParent()
	if r.isDeleting() && !controllerutil.ContainsFinalizer(r.parent, l.finalizer) {
		l.forgetRelated(request.NamespacedName)
		return ctrl.Result{}, nil // the garbage collector does the rest
	}
	missing := r.state.missing.list() // what is missing later is not in the snapshot either
	observed, err := l.observeChildren(r.parent)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !l.selector.matches(r.parent) && r.isUntouched(observed) {
		return ctrl.Result{}, r.leaveParent(ctx)
	}
	orphaningErr := r.noteOrphaning(ctx)
	if isStale(orphaningErr) {
		test.SetStale()
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	}
	if suspension := r.findSuspension(); suspension != nil {
		if orphaningErr != nil {
			return ctrl.Result{}, orphaningErr
		}
		return r.suspendParent(ctx, observed, *suspension)
	}
	if r.state.isBusy() {
		return ctrl.Result{RequeueAfter: backoff.CallGrace}, nil
	}
	if r.waitForRoom() {
		test.SetDelayed()
		return ctrl.Result{}, nil
	}
	var relatedErr error
	observed.related, observed.isRelatedServed, relatedErr = r.observeRelated(ctx)
	if ctx.Err() != nil {
		return ctrl.Result{}, nil
	}
	if isStale(relatedErr) {
		return r.scheduleNext(ctx, observed, outcome{err: relatedErr}), nil
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
	r.warnAboutCopies(ctx, observed.copies)
	ctx, span := process.StartReconcile(ctx, l.definition.Name, l.parentKind.GroupVersionKind, r.parent)
	defer span.End()
	r.requestToken = r.takeRequest()
	r.cleanupErr = r.cleanUpForParent(ctx)
	restoreErr := r.restoreBeforeCall(ctx, observed, missing)
	if err := joinErrors(orphaningErr, relatedErr, restoreErr); err != nil {
		return r.scheduleNext(ctx, observed, r.reportOutcome(ctx, observed, new(declared.Response), observed.all(), err)), nil
	}
	return r.scheduleNext(ctx, observed, r.limitStale(ctx, observed, r.syncOrFinalize(ctx, observed))), nil
}

// leaveParent forgets an object that is no parent any more and has nothing of this
// controller's left.
func (r *run) leaveParent(ctx context.Context) error {
	if err := r.cleanUpForParent(ctx); err != nil {
		return err
	}
	r.loop.forget(r.name())
	r.loop.convergence.forget(r.parent)
	return nil
}

// syncOrFinalize brings the children and the parent to the desired state.
func (r *run) syncOrFinalize(ctx context.Context, observed *observed) outcome {
	if r.isFinalizing() {
		return r.finalizeParent(ctx, observed)
	}
	r.state.wasSelected = true
	err := r.removeRecords(ctx)
	if err == nil && r.loop.definition.Author.Finalize != nil { // before Sync has any effect
		err = r.addFinalizer(ctx)
	}
	if err != nil {
		return r.reportOutcome(ctx, observed, new(declared.Response), observed.all(), err)
	}
	response, applied := r.callAndApply(ctx, observed)
	return r.reportOutcome(ctx, observed, response, applied.children, applied.err)
}

// callAndApply calls the author's code and carries out what it desires of the children and
// of the parent's metadata. The error of applied is all that went wrong.
func (r *run) callAndApply(ctx context.Context, observed *observed) (*declared.Response, applied) {
	response, err := r.callAuthor(ctx, observed)
	if response == nil {
		response = new(declared.Response)
	}
	done := applied{children: observed.all()}
	if isStale(err) {
		done.err = err
		return response, done
	}
	if restored := r.restoreAfterCall(ctx, observed, response.Children); restored != nil {
		done.err = joinErrors(err, restored)
		return new(declared.Response), done
	}
	switch {
	case response.Children != nil:
		done = r.applyDesired(ctx, observed, response.Children, err == nil && !response.Finalized)
	case err == nil:
		done = r.keepChildren(ctx, observed)
	}
	if isStale(done.err) {
		return response, done
	}
	response, failed := r.recordApplied(ctx, response, done.children)
	var refused error
	if !isStale(failed) {
		refused = r.writeMetadata(ctx, response.Labels, response.Annotations)
	}
	done.err = joinErrors(err, done.err, failed, refused)
	return response, done
}

// reportOutcome writes the status, the Events and the result of a reconcile.
func (r *run) reportOutcome(ctx context.Context, observed *observed, response *declared.Response, children []child, err error) outcome {
	switch {
	case isStale(err):
		return outcome{err: err}
	case ctx.Err() != nil: // a reconcile that is told to stop shows no error
		return outcome{err: errStale{ctx.Err()}}
	}
	limit := r.loop.definition.Retries
	err = r.state.giveUpIfLast(errors.Join(err, r.cleanupErr, r.marksErr), limit)
	conditions := r.runConditions(children, err)
	if !r.isHidden(err) {
		refused := r.writeStatus(ctx, response, conditions, err)
		if failed, ok := errors.AsType[backoff.Failed](refused); ok && !failed.IsYoung(r.loop.now()) { // leave out the author's part, and say so
			err = errors.Join(err, refused)
			conditions = r.runConditions(children, err)
			refused = r.writeStatus(ctx, new(declared.Response), conditions, err)
		}
		if isStale(refused) {
			return outcome{err: refused}
		}
		err = r.state.giveUpIfLast(errors.Join(err, refused), limit)
	}
	r.recordEvents(response.Events, err)
	if !r.loop.definition.Status.HasConditions() {
		r.warnAboutConflicts(ctx, r.conflictTexts(children)...)
	}
	conditions = status.MergeConditions(status.Merge{Runtime: conditions, Author: response.Conditions, IsOurs: func(string) bool { return false }, Failed: err != nil, Now: r.now})
	r.countAnswer(ctx, observed, response, r.nextRequeue(max(response.RequeueAfter, 0), children), err)
	r.state.hasTimer = response.RequeueAfter != 0
	requeue := r.nextRequeue(r.requestedRequeue(ctx, observed, response.RequeueAfter), children)
	if err == nil {
		r.completeRequest()
	}
	return outcome{requeue: requeue, isReady: status.IsReady(conditions, 0), err: err}
}

// nextRequeue returns when the next reconcile is due: at the requeue that the author asked for, or
// before that when a repair that was put off is due, or what admission has altered is to be
// written again.
func (r *run) nextRequeue(requeue time.Duration, children []child) time.Duration {
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
func (r *run) scheduleNext(ctx context.Context, observed *observed, end outcome) ctrl.Result {
	if isStale(end.err) {
		return r.repeatSoon(ctx, end.err)
	}
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
		r.countReconcile(ctx, reason, errorMessage(end.err))
		log.FromContext(ctx).Error(end.err, "reconcile failed", "reason", reason, "retry", delay.String())
		return r.requeueAfter(delay)
	}
	r.state.failures = backoff.Failures{}
	r.endSpec(end.isReady)
	r.countReconcile(ctx, "success", "")
	if end.isReady {
		r.countConvergence()
	}
	return r.requeueAfter(end.requeue)
}

// repeatSoon ends a stale reconcile.
func (r *run) repeatSoon(ctx context.Context, stale error) ctrl.Result {
	r.test.SetStale()
	if errors.As(stale, new(errPutOff)) {
		r.countReconcile(ctx, "slow", stale.Error())
		r.loop.slowCalls.wait(r.name())
		return ctrl.Result{}
	}
	r.countReconcile(ctx, "stale", "")
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

// countReconcile counts a reconcile that ended with this result, and sets it in the span.
func (r *run) countReconcile(ctx context.Context, result, message string) {
	r.loop.environment.Metrics.CountReconcile(r.loop.definition.Name, result, r.loop.now().Sub(r.now))
	process.SetResult(ctx, result, message)
}
