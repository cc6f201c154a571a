package reconcile

import (
	"cmp"
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// applied is what came of bringing the children to their desired state.
type applied struct {
	children   []child // those that are desired or kept, as known now
	first      []child // those that others replace: they have to go before these are created
	isWaiting  bool    // a child waits for another, so that not all of the answer is applied
	failed     []errChild
	unapplied  map[apply.Key]bool // those that failed, and those that wait for nothing else
	impossible error              // of children that Finalize desires in a namespace that is being deleted
	err        error              // all that went wrong, but for what is impossible; see [joinErrors]
}

// applyDesired brings the children to the desired state. It applies each child whatever
// becomes of the others. It removes nothing without mayRemove, where Sync did not succeed, or
// where Finalize has returned Finalized, which has to be recorded before.
func (r *run) applyDesired(ctx context.Context, observed *observed, sets []declared.DesiredSet, mayRemove bool) applied {
	plan, invalid := r.planChildren(observed, sets)
	if invalid == nil {
		r.recordDesired(plan)
	}
	// A desired child that is invalid may be one that exists and is not observed, since it lies
	// where none may lie any more. A later release allows that again.
	isKept := invalid != nil && controllerutil.ContainsFinalizer(r.parent, r.loop.finalizer)
	err := r.updateFinalizer(ctx, isKept || r.needsFinalizer(observed, plan))
	if err == nil {
		err = r.restoreDependents(ctx, observed, plan.tasks)
	}
	if err != nil {
		return applied{children: observed.all(), err: joinErrors(invalid, err)}
	}
	done := r.applyTasks(ctx, observed, plan.tasks)
	r.recordResult(done)
	r.isUnwritten = r.hasUnwritten(plan.tasks)
	if invalid != nil {
		done.err = joinErrors(done.err, invalid, joinFailed(done.failed, nil))
		return done
	}
	undesired, kept := r.splitUndesired(observed, plan)
	done.children = append(append(done.children, kept...), plan.unserved...)
	isStopped := isStale(done.err)
	done.err = joinErrors(done.err, joinFailed(done.failed, undesired))
	if !mayRemove || isStopped {
		return done
	}
	pruned, limitErr := done.prunes(ctx, r, undesired, kept)
	err = r.removeChildren(ctx, append(done.replacements(), pruned...))
	done.err = joinErrors(done.err, limitErr, err)
	return done
}

// keepChildren is applyDesired where the author leaves the children as they are.
func (r *run) keepChildren(ctx context.Context, observed *observed) applied {
	r.isUnwritten = !observed.isEmpty()
	return applied{children: observed.all(), err: r.updateFinalizer(ctx, r.needsFinalizer(observed, plan{}))}
}

// applyTasks applies the tasks, in their order.
func (r *run) applyTasks(ctx context.Context, observed *observed, tasks []task) applied {
	done := applied{unapplied: map[apply.Key]bool{}}
	update := newRollingUpdate(tasks)
	ready := map[apply.Key]bool{}
	var creates attempts
	waits := func(t task) bool {
		why, _ := t.blockReason(update, ready)
		return why != ""
	}
	var tried []task
	isStopped := false
	defer func() { r.state.turns.end(tried, isStopped) }()
	copied := "" // the name of a desired child that a copy has
	for i, task := range tasks {
		result := child{childKind: task.kind, name: task.Name, object: task.observed}
		why, isIncomplete := task.blockReason(update, ready)
		if isStopped = isStopped || i >= creates.next && done.isStopped(); isStopped {
			why, isIncomplete = "waits until fewer requests fail", true
		} else {
			tried = append(tried, task)
		}
		if copied != "" && task.observed != nil {
			why, isIncomplete = "waits for "+copied, true
		}
		if why == "" {
			var first []child
			first, why = r.findReplaced(ctx, observed, task)
			done.first, isIncomplete = appendNew(done.first, first), why != ""
		}
		if isIncomplete || why == "" && task.isRecreated() {
			result.waitsFor, done.unapplied[task.Key()] = why, task.waitsForFailed(update, ready, done.unapplied)
			done.isWaiting = done.isWaiting || isIncomplete && !done.unapplied[task.Key()]
			if !isIncomplete {
				result.conflict = r.state.applied.DelayRecreation(r.now, task.Desired, task.observed)
				result.isReplaced = result.conflict == nil
			}
			if result.conflict != nil {
				result.waitsFor = recreationText(HealthOf(task.kind.ReadyWhen, task.observed))
			}
			done.children = append(done.children, result)
			continue
		}
		if i >= creates.next {
			creates = r.createTogether(ctx, tasks, i, waits)
		}
		outcome, err := r.applyTask(ctx, task, why != "", creates.take(r, task))
		switch {
		case errors.As(err, new(errRestored)):
			// Sync took the child for absent, and maybe others: the rest of its answer is dropped.
			creates.recordRest(ctx, r, tasks)
			_ = r.restoreUnobserved(ctx, tasks[i+1:]) // what fails is tried again with the next answer
			done.err = err
			return done
		case isStale(err):
			done.err = errChild{key: task.Key(), err: err}
			continue
		case task.kind.isUnserved(err): // the next look at the optional kinds finds that, too
			r.state.applied.RetryNow(task.Key())
			result.waitsFor = unservedText
			done.children = append(done.children, result)
			continue
		case r.isFinalizing() && apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
			done.impossible = errors.Join(done.impossible, errChild{key: task.Key(), err: err})
			continue
		case err != nil:
			done.unapplied[task.Key()] = true
			done.failed = append(done.failed, errChild{key: task.Key(), err: err, creates: task.observed == nil})
			if conflict, ok := errors.AsType[apply.ErrNameConflict](err); ok && conflict.CopiedBy != "" {
				copied = task.Key().String() // Sync took for absent what somebody has restored
			}
			continue
		case why != "":
			result.object, result.waitsFor, result.conflict = outcome.Object, why, outcome.Conflict
			update.queue(task)
			done.children = append(done.children, result)
			continue
		case outcome.Action == apply.NeedsRecreation && update.delaysRecreation(task, done.children):
			result.waitsFor = "has drifted and waits for its turn"
			update.queue(task)
			done.children = append(done.children, result)
			continue
		}
		result.object, result.isReplaced, result.conflict = outcome.Object, outcome.Action == apply.NeedsRecreation, outcome.Conflict
		result.altered, result.isOutdated = outcome.Altered, outcome.IsOutdated
		if isApplied(outcome) {
			r.recordRewrite(task.Key())
		}
		if isApplied(outcome) && !outcome.IsOutdated {
			result.whenApplied = task.source.WhenApplied
		}
		if outcome.Object != nil {
			result.health = HealthOf(task.kind.ReadyWhen, outcome.Object)
		}
		ready[task.Key()] = !result.isReplaced && result.conflict == nil && result.health.State == health.Ready
		done.children = append(done.children, result)
	}
	return done
}

// isApplied reports whether an outcome leaves the child as it is desired, or as its strategy keeps
// it.
func isApplied(outcome apply.Outcome) bool {
	return outcome.Conflict == nil && outcome.Action != apply.Waiting && outcome.Action != apply.NeedsRecreation
}

// blockReason returns why a task is not carried out in this reconcile; empty if it is. It
// reports whether the answer of Sync is incomplete because of it. Among children of a kind
// that rolls, a healthy one that waits for its turn counts as ready: that they come one after
// the other is the order in which they are created, and a rolling update has its own order.
func (t task) blockReason(update *rollingUpdate, ready map[apply.Key]bool) (why string, isIncomplete bool) {
	if unready := t.unready(update, ready); len(unready) > 0 {
		return "waits for " + unready[0].String(), true
	}
	if t.rolls() && !t.isRecreated() && t.isOutdated() && update.turns[t.Kind] != t.Key() {
		return "is outdated and waits for its turn", false
	}
	return "", false
}

// unready returns those that a task comes after and that are not ready.
func (t task) unready(update *rollingUpdate, ready map[apply.Key]bool) (unready []apply.Key) {
	for _, key := range t.after {
		countsAsReady := t.rolls() && key.Kind == t.Kind && update.queued[key]
		if !ready[key] && !countsAsReady {
			unready = append(unready, key)
		}
	}
	return unready
}

// waitsForFailed reports whether a task comes after those that could not be applied, and waits for
// nothing else.
func (t task) waitsForFailed(update *rollingUpdate, ready, unapplied map[apply.Key]bool) bool {
	unready := t.unready(update, ready)
	return len(unready) > 0 && !slices.ContainsFunc(unready, func(key apply.Key) bool { return !unapplied[key] })
}

// isRecreated reports whether Sync wants the observed child recreated.
func (t task) isRecreated() bool {
	return t.recreate && t.observed != nil && t.observed.GetDeletionTimestamp() == nil
}

// recreationText says that the recreation of a child with this health is put off.
func recreationText(current health.Health) string {
	return cmp.Or(current.Message, "exists") + " (RecreateIf keeps recreating it, less and less often until that stops)"
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
		if err := r.waitForChild(ctx, t, unobserved.Object); err != nil {
			return apply.Outcome{}, err
		}
		applied.RetryNow(t.Key())
		return apply.Outcome{}, errRestored{t.Key()}
	}
	if err == nil {
		r.recordOutcome(ctx, t, outcome)
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
		r.state.missing.dropKey(t.Key())
	}
	if outcome.Action == apply.Created || outcome.Action == apply.Updated || outcome.Action == apply.Adopted {
		r.recordChildWrite(t.kind, key, outcome.Object)
		metrics.CountWrite(name, t.Kind.Kind, string(outcome.Action))
		log.FromContext(ctx).V(1).Info("applied a child", "child", key, "action", outcome.Action, "drift", outcome.Drift)
	}
}

// waitForChild has the next reconcile of the parent wait until the cache shows a child that exists, and
// that Sync took for absent. It gives the child back the marks by which the cache shows it.
func (r *run) waitForChild(ctx context.Context, t task, child client.Object) error {
	if r.isMarked(child) {
		r.recordChildWrite(t.kind, t.Key().String(), child)
		return nil
	}
	r.state.missing.add(t.kind.newChild(child)) // for the case that the marks do not last
	_, err := r.restoreMarks(ctx, t.kind, child, t.marksFor(r, child))
	return err
}

// marksFor returns the metadata that makes an object which has lost its marks the child that is
// desired. Where an apply changes the deletion policy of a child, it is left to that.
func (t task) marksFor(r *run, object client.Object) map[string]any {
	if rules := t.Update.Rules(); !rules.RepairsDrift || !rules.WritesChanges {
		return t.Ownership()
	}
	keys := r.loop.childCache.keys
	return keys.Ownership(r.owner(), t.byReference, object.GetAnnotations()[keys.WhenRemoved])
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
// applied state forgets all of them.
func (r *run) splitUndesired(observed *observed, plan plan) (undesired, kept []child) {
	desired := map[apply.Key]bool{}
	for _, task := range plan.tasks {
		desired[task.Key()] = true
	}
	for _, child := range observed.all() {
		switch key := child.key(); {
		case plan.keep[key] && !desired[key]:
			kept = append(kept, child)
		case !desired[key] && child.object.GetDeletionTimestamp() == nil && r.isChild(child):
			undesired = append(undesired, child)
		}
	}
	r.state.applied.Keep(r.now, desired)
	return undesired, kept
}
