package reconcile

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

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
	defer func() { l.slowCalls.leave(r != nil && r.calls.hasRoom) }()
	r, err := l.startRun(ctx, request.NamespacedName)
	if isStale(err) {
		test.IsStale = true
		return l.waitForCache(ctx, r), nil
	}
	if r == nil || err != nil {
		return ctrl.Result{}, err
	}
	r.test = test
	l.lagging.end(&r.state.lag)
	r.recordParent()
	return r.reconcileRecovered(ctx)
}

// reconcileRecovered reconciles a parent. A panic outside of a call of the author's code, as in a method of an object
// that the author desires, is an error of this parent like any other.
func (r *run) reconcileRecovered(ctx context.Context) (ctrl.Result, error) {
	observed := new(observed)
	result, err := recoverPanic(ctx, func() (ctrl.Result, error) { return r.reconcileParent(ctx, observed) })
	if _, isPanic := err.(errPanic); !isPanic { //nolint:errorlint // an error of the reconcile itself
		return result, err
	}
	return recoverPanic(ctx, func() (ctrl.Result, error) {
		failed := applied{children: observed.all(), err: errInternal{err}}
		return r.scheduleNext(ctx, observed, r.reportOutcome(ctx, observed, new(declared.Response), failed)), nil
	})
}

// reconcileParent reconciles a parent, unless it needs nothing, is suspended, or waits for a call of the
// author's code. It fills observed.
func (r *run) reconcileParent(ctx context.Context, observed *observed) (ctrl.Result, error) {
	if r.isDeleting() && !controllerutil.ContainsFinalizer(r.parent, r.loop.finalizer) {
		r.loop.forgetRelated(r.name())
		return r.awaitFinalizers(ctx) // the garbage collector does the rest
	}
	missing := r.state.missing.list() // what is missing later is not in the snapshot either
	found, err := r.loop.observeChildren(r.parent)
	if err != nil {
		return ctrl.Result{}, err
	}
	*observed = *found
	if !r.loop.selector.matches(r.parent) && r.isUntouched(observed) {
		return ctrl.Result{}, r.forgetParent(ctx)
	}
	boundErr := observed.checkReadable()
	if boundErr == nil {
		boundErr = staleOrJoined(r.noteOrphaning(ctx), r.bindChildren(ctx, observed))
	}
	if isStale(boundErr) {
		r.test.IsStale = true
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	}
	if suspension := r.findSuspension(); suspension != nil {
		result, err := ctrl.Result{}, boundErr
		if err == nil {
			result, err = r.suspendParent(ctx, observed, *suspension)
		}
		r.recordEvents(r.state.events, err) // the conditions stay as they are
		return result, err
	}
	if r.state.isBusy() {
		return ctrl.Result{RequeueAfter: backoff.CallGrace}, nil
	}
	if r.calls.waitForRoom() {
		r.test.IsDelayed = true
		return ctrl.Result{}, nil
	}
	return r.reconcileObserved(ctx, observed, missing, boundErr), nil
}

// reconcileObserved goes on once the children are observed. failed is what has failed so far.
func (r *run) reconcileObserved(ctx context.Context, observed *observed, missing []child, failed error) ctrl.Result {
	relatedErr := r.observeOthers(ctx, observed)
	if ctx.Err() != nil {
		return ctrl.Result{}
	}
	if isStale(relatedErr) {
		return r.scheduleNext(ctx, observed, outcome{err: relatedErr})
	}
	r.state.startGeneration(r.parent.GetGeneration())
	r.state.startSpec(r.parent, r.loop.definition.Status.GenerationOf(r.parent), !observed.isEmpty())
	r.seen = backoff.View{Objects: sumVersions(slices.Concat(observed.children, observed.related)), Parent: r.parent.GetResourceVersion(), Triggers: r.triggers}
	if left, delayed := r.state.delay(r.seen, r.now); delayed && !r.test.IsForced() {
		r.test.IsDelayed = true
		return r.requeueAfter(left)
	}
	if r.test.IsForced() {
		r.state.retryNow()
	}
	r.warnAboutCopies(ctx, observed.copies)
	ctx, span := process.StartReconcile(ctx, r.loop.definition.Name, r.loop.parentKind.GroupVersionKind, r.parent)
	defer span.End()
	r.request.take()
	r.cleanupErr = r.cleanUpForParent(ctx)
	restoreErr := r.restorer.takeBack(ctx, observed)
	if restoreErr == nil {
		var isFound bool
		if isFound, restoreErr = r.restorer.takeOver(ctx, observed); isFound && relatedErr == nil {
			relatedErr = r.observeOthers(ctx, observed) // related objects may follow from children
		}
	}
	if restoreErr == nil {
		restoreErr = r.restorer.restoreBeforeCall(ctx, observed, missing)
	}
	if err := staleOrJoined(failed, relatedErr, restoreErr); err != nil {
		return r.scheduleNext(ctx, observed, r.reportOutcome(ctx, observed, new(declared.Response), applied{children: observed.all(), err: err}))
	}
	return r.scheduleNext(ctx, observed, r.limitStale(ctx, observed, r.syncOrFinalize(ctx, observed)))
}

// observeOthers adds the related objects to what is observed.
func (r *run) observeOthers(ctx context.Context, observed *observed) (err error) {
	observed.related, observed.isRelatedServed, err = r.observeRelated(ctx, observed)
	if err == nil {
		observed.patched, err = r.observePatched(observed)
	}
	return err
}

// forgetParent forgets an object that is no parent any more and has nothing of this
// controller's left.
func (r *run) forgetParent(ctx context.Context) error {
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
	err := r.writer.removeRecords(ctx)
	if err == nil && r.loop.definition.Author.Finalize != nil { // before Sync has any effect
		err = r.writer.addFinalizer(ctx)
	}
	response, done := new(declared.Response), applied{children: observed.all(), err: err}
	if err == nil {
		response, done = r.callAndApply(ctx, observed)
	}
	return r.reportOutcome(ctx, observed, response, done)
}

// callAndApply calls the author's code and carries out what it desires of the children and
// of the parent's metadata. The error of applied is all that went wrong.
func (r *run) callAndApply(ctx context.Context, observed *observed) (*declared.Response, applied) {
	response, err := r.callKnowingConflicts(ctx, observed)
	if response != nil && r.recordOutdated(observed, response.Children) {
		response, err = r.callKnowingConflicts(ctx, observed)
	}
	if response != nil && err == nil {
		if r.deletions, err = r.findDeletions(observed, response.Delete); err != nil {
			response = nil
		}
	}
	if response == nil {
		response = new(declared.Response)
	}
	var invalid error
	r.patches, invalid = r.planPatches(observed, response.Patches)
	done := applied{children: observed.all()}
	if isStale(err) {
		done.err = err
		return response, done
	}
	if restored := r.restorer.restoreAfterCall(ctx, observed, response.Children); restored != nil {
		done.err = staleOrJoined(err, restored)
		return new(declared.Response), done
	}
	switch {
	case response.Children != nil:
		done = r.applyDesired(ctx, observed, response, err == nil && !r.hasFinalized(response))
	case err == nil:
		done = r.keepChildren(ctx, observed)
	}
	if isStale(done.err) {
		return response, done
	}
	var refusedPatches error
	done.patches, refusedPatches = r.applyPatches(ctx, observed, err == nil && !response.KeepAll)
	if done.err = staleOrJoined(done.err, invalid, refusedPatches); isStale(done.err) {
		return response, done
	}
	response, failed := r.calls.recordApplied(ctx, response, done.children)
	var refused error
	if !isStale(failed) {
		refused = r.writer.writeMetadata(ctx, response.Labels, response.Annotations)
	}
	done.err = staleOrJoined(err, done.err, failed, refused)
	return response, done
}
