package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// applied is what came of bringing the children to their desired state.
type applied struct {
	children   []child // those that are desired or kept, as known now
	first      []child // those that others replace: they have to go before these are created
	patches    []patchResult
	isWaiting  bool // a child waits for another, so that not all of the answer is applied
	failed     []errChild
	unapplied  map[apply.Key]bool // those that failed, and those that wait for nothing else
	prunes     prunes
	impossible error         // that holds no parent which is finalized: in a namespace that is being deleted, or of needless changes
	err        error         // all that went wrong, but for what is impossible; see [staleOrJoined]
	requeue    time.Duration // when the next recreated child has adopted its dependents, or may be evicted; 0: when something changes
}

// applyDesired brings the children to the desired state. It applies each child whatever
// becomes of the others. It removes nothing without mayRemove, where Sync did not succeed, or
// where Finalize has returned Finalized, which has to be recorded before.
func (r *run) applyDesired(ctx context.Context, observed *observed, response *declared.Response, mayRemove bool) applied {
	plan, invalid := r.planner.planChildren(observed, response.Children)
	plan.keepAll = response.KeepAll
	r.desiredHash = plan.hash + r.patches.hash()
	if invalid == nil {
		r.recordDesired(plan)
	}
	// A desired child that is invalid may be one that exists and is not observed, since it lies
	// where none may lie any more. A later release allows that again.
	isKept := invalid != nil && controllerutil.ContainsFinalizer(r.parent, r.loop.finalizer)
	err := r.writer.updateFinalizer(ctx, isKept || r.needsFinalizer(observed, plan))
	if err == nil {
		err = r.restorer.restoreDependents(ctx, observed, plan.tasks)
	}
	if err != nil {
		return applied{children: observed.all(), err: staleOrJoined(invalid, err)}
	}
	done := r.applyTasks(ctx, observed, plan.tasks)
	if !isStale(done.err) {
		done.err = r.updateUnwritten(ctx, plan.unwritten)
	}
	r.request.isUnwritten = r.request.hasUnwritten(plan.tasks)
	if invalid != nil {
		done.err = staleOrJoined(done.err, invalid, joinFailed(done.failed, nil), r.restorer.renewReferences(ctx, observed, done.children))
		return done
	}
	undesired, kept := r.splitUndesired(observed, plan)
	adopting, undesired := r.splitAdopting(undesired)
	kept = append(kept, adopting...)
	r.request.isUnwritten = r.request.isUnwritten || plan.keepAll && len(kept) > 0
	done.children = append(append(done.children, kept...), plan.unserved...)
	isStopped := isStale(done.err)
	failed := done.failed
	if r.isFinalizing() && r.hasFinalized(response) {
		failed = done.splitNeedless()
	}
	done.err = staleOrJoined(done.err, joinFailed(failed, undesired))
	if !mayRemove || isStopped {
		return done
	}
	var limitErr error
	switch {
	case !plan.keepAll:
		done.prunes, limitErr = r.findPrunes(ctx, done, undesired, kept)
	case r.loop.mayDeleteRelated():
		done.prunes, limitErr = r.findPrunes(ctx, done, nil, nil)
		done.prunes.isAll = false
	}
	err = r.writer.removeChildren(ctx, append(done.replacements(), done.prunes.due...))
	done.waitForEvictions(r.writer.evictions, r.now)
	if err == nil {
		var next time.Duration
		next, err = r.endAdoptions(ctx, slices.Concat(done.children, undesired), plan.mayRecreate)
		done.requeue = earlier(done.requeue, next)
	}
	done.err = staleOrJoined(done.err, limitErr, err, r.restorer.renewReferences(ctx, observed, done.children))
	return done
}

// splitNeedless returns the failures that hold a parent which is finalized: of children that could not be
// created, and of options that could not be recorded. A refused change of a child that exists holds none, since
// the child goes, or stays as it is.
func (done *applied) splitNeedless() (needed []errChild) {
	for _, failed := range done.failed {
		if failed.creates || errors.As(failed.err, new(errRecords)) || !isRefusal(failed.err) {
			needed = append(needed, failed)
		} else {
			done.impossible = errors.Join(done.impossible, failed)
		}
	}
	return needed
}

// keepChildren is applyDesired where the author leaves the children as they are.
func (r *run) keepChildren(ctx context.Context, observed *observed) applied {
	r.request.isUnwritten = !observed.isEmpty()
	done := applied{children: observed.all(), err: r.writer.updateFinalizer(ctx, r.needsFinalizer(observed, plan{}))}
	if done.err == nil {
		done.err = r.restorer.renewReferences(ctx, observed, nil)
	}
	if done.err == nil && r.loop.mayDeleteRelated() {
		done.prunes, done.err = r.limitPrunes(ctx, nil, nil)
		done.prunes.isAll = done.prunes.isAll && len(r.loop.childKinds) == 0
	}
	return done
}

// applyTask brings a child to its desired state. A child that waits for its turn gets only
// what makes it the parent's. first is the attempt that was made already; nil if none was.
func (r *run) applyTask(ctx context.Context, t task, waits bool, first *attempt) (outcome apply.Outcome, err error) {
	do, applied := t.kind.applier.ApplyChild, &r.state.applied
	if waits {
		do = t.kind.applier.UpdateOwnership
	}
	if first != nil {
		outcome, err = first.outcome, first.err
	} else {
		outcome, err = do(ctx, r.now, applied, t.Desired, t.observed)
	}
	if r.loop.isNameFree(ctx, t, err) {
		applied.RetryNow(t.Key())
		outcome, err = do(ctx, r.now, applied, t.Desired, t.observed)
	}
	if unobserved, ok := errors.AsType[apply.ErrUnobserved](err); ok && !isReplayed(err) {
		if err := r.restorer.waitForChild(ctx, t, unobserved.Object); err != nil {
			return apply.Outcome{}, err
		}
		applied.RetryNow(t.Key())
		return apply.Outcome{}, errRestored{t.Key()}
	}
	if err == nil {
		r.recordOutcome(ctx, t, outcome)
		err = outcome.Gone
	}
	return outcome, err
}

// recordOutcome records what an apply has written.
func (r *run) recordOutcome(ctx context.Context, t task, outcome apply.Outcome) {
	metrics, name, key := r.loop.environment.Metrics, r.loop.definition.Name, t.Key().String()
	if outcome.Drift {
		metrics.CountDrift(name, t.Kind.Kind)
	}
	if outcome.Action == apply.Created {
		r.warnAboutExpired(ctx, t.Key())
		r.state.missing.dropBefore(t.Key(), outcome.Object.GetUID())
	}
	if outcome.Action == apply.Created || outcome.Action == apply.Updated || outcome.Action == apply.Adopted {
		r.writer.recordChildWrite(t.kind, key, outcome.Object)
		metrics.CountWrite(name, t.Kind.Kind, string(outcome.Action))
		log.FromContext(ctx).V(1).Info("applied a child", "child", key, "action", outcome.Action, "drift", outcome.Drift)
	}
}

// updateRecords writes the metadata of a child whose desired state does not reach it now.
func (r *run) updateRecords(ctx context.Context, t task) error {
	object, conflict, err := t.kind.applier.UpdateRecords(ctx, r.now, &r.state.applied, t.Desired, t.observed)
	switch {
	case isStale(err):
		return err
	case err != nil:
		return errRecords{err}
	case conflict != nil:
		return errRecords{errMarksRemoved{t.Key(), conflict.Manager}}
	case object != nil:
		r.recordOutcome(ctx, t, apply.Outcome{Action: apply.Updated, Object: object})
	}
	return nil
}

// updateUnwritten is updateRecords of several children. A record that is not written is an error of its child.
func (r *run) updateUnwritten(ctx context.Context, tasks []task) error {
	var all []error
	for _, t := range tasks {
		if err := r.updateRecords(ctx, t); err != nil {
			all = append(all, errChild{key: t.Key(), err: err})
		}
	}
	return staleOrJoined(all...)
}

// isNameFree reports whether the error is a name conflict that has ended since, as far as
// the cache can tell: it held the object that had the name, and does so no more.
func (l *loop) isNameFree(ctx context.Context, t task, err error) bool {
	conflict, ok := errors.AsType[apply.ErrNameConflict](err)
	if !ok || !isReplayed(err) || !l.childCache.selects(conflict.Object) {
		return false
	}
	cached := t.kind.cached.DeepCopyObject().(client.Object)
	return apierrors.IsNotFound(l.childCache.Get(ctx, t.Name, cached))
}

// isReplayed reports whether an error is that of a write which was put off.
func isReplayed(err error) bool {
	failed, ok := errors.AsType[backoff.Failed](err)
	return ok && failed.Replayed
}

// splitUndesired splits the observed children that are not desired into those to prune and
// those to keep. One whose marks somebody keeps removing is in neither: it is not deleted. The
// applied state forgets all of them, unless the answer is only a part of what Sync desires.
func (r *run) splitUndesired(observed *observed, plan plan) (undesired, kept []child) {
	desired := map[apply.Key]bool{}
	for _, task := range plan.tasks {
		desired[task.Key()] = true
	}
	for _, child := range observed.all() {
		switch key := child.key(); {
		case (plan.keepAll || plan.keep[key]) && !desired[key]:
			kept = append(kept, child)
		case !desired[key] && child.object.GetDeletionTimestamp() == nil && r.isChild(child):
			undesired = append(undesired, child)
		}
	}
	undesired, history := r.splitHistory(undesired)
	kept = append(kept, history...)
	if !plan.keepAll {
		r.state.applied.Keep(r.now, desired)
		r.state.missing.forgetExpired(desired)
	}
	return undesired, kept
}
