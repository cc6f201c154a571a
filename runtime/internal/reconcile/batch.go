package reconcile

import (
	"cmp"
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// batch applies the tasks of one reconcile, in their order.
type batch struct {
	run       *run
	observed  *observed
	tasks     []task
	update    *rollingUpdate
	creates   attempts
	ready     map[apply.Key]bool
	copied    string // the name of a desired child that a copy has; empty: there is none
	isStopped bool   // too many requests have failed
	done      applied
}

// applyTasks applies the tasks. It applies each whatever becomes of the others, unless Sync took a child
// for absent that exists: then the rest of its answer is dropped.
func (r *run) applyTasks(ctx context.Context, observed *observed, tasks []task) applied {
	b := &batch{run: r, observed: observed, tasks: tasks, update: newRollingUpdate(tasks), ready: map[apply.Key]bool{}}
	b.done.unapplied = map[apply.Key]bool{}
	var tried []task
	for i, task := range tasks {
		b.isStopped = b.isStopped || i >= b.creates.next && b.done.isStopped()
		if !b.isStopped {
			tried = append(tried, task)
		}
		if isRestored := b.applyNext(ctx, i); isRestored {
			break
		}
	}
	r.state.turns.end(tried, b.isStopped)
	return b.done
}

// applyNext applies the task of an index, if it does not wait. It reports whether Sync took a child for
// absent that exists.
func (b *batch) applyNext(ctx context.Context, i int) (isRestored bool) {
	task := b.tasks[i]
	why, isIncomplete := b.waitReason(ctx, task)
	if isIncomplete || why == "" && task.isRecreated() {
		b.skip(ctx, task, why, isIncomplete)
		return false
	}
	if i >= b.creates.next {
		b.creates = b.createTogether(ctx, i)
	}
	outcome, err := b.run.applyTask(ctx, task, why != "", b.creates.take(b.run, task))
	switch {
	case errors.As(err, new(errRestored)):
		b.creates.recordRest(ctx, b.run, b.tasks)
		_ = b.run.restorer.restoreUnobserved(ctx, b.tasks[i+1:]) // what fails is tried again with the next answer
		b.done.err = err
		return true
	case err != nil:
		b.addFailure(task, err)
	default:
		b.addOutcome(ctx, task, why, outcome)
	}
	if why == "" && b.leavesContent(task, outcome, err) {
		b.updateRecords(ctx, task)
	}
	return false
}

// waitReason returns why a task is not carried out in this reconcile; empty if it is. It reports whether
// the answer of Sync is incomplete because of it.
func (b *batch) waitReason(ctx context.Context, t task) (why string, isIncomplete bool) {
	switch {
	case b.copied != "" && t.observed != nil:
		return "waits for " + b.copied, true
	case b.isStopped:
		return "waits until fewer requests fail", true
	}
	if why, isIncomplete = t.blockReason(b.update, b.ready); why != "" {
		return why, isIncomplete
	}
	if why = b.evictionReason(t); why != "" {
		return why, false
	}
	first, why := b.run.findReplaced(ctx, b.observed, t)
	b.done.first = appendNew(b.done.first, first)
	return why, why != ""
}

// skip records a child that waits, or that is recreated because Sync wants that.
func (b *batch) skip(ctx context.Context, t task, why string, waits bool) {
	result := t.newResult()
	result.waitsFor, b.done.unapplied[t.Key()] = why, t.waitsForFailed(b.update, b.ready, b.done.unapplied)
	b.done.isWaiting = b.done.isWaiting || waits && !b.done.unapplied[t.Key()]
	if !waits {
		result.conflict = b.run.state.applied.DelayRecreation(b.run.now, t.Desired, t.observed)
		result.isReplaced = result.conflict == nil
	}
	if result.isReplaced {
		if err := b.run.checkSuccessor(ctx, t, t.observed); err != nil {
			b.addFailure(t, err)
			return
		}
	}
	if result.conflict != nil {
		result.waitsFor = recreationText(t.healthOf(t.observed))
	}
	b.done.children = append(b.done.children, result)
	if t.observed != nil && b.copied == "" && !b.isStopped && (!result.isReplaced || b.run.state.applied.HasFailedDeletion(t.Key())) {
		if waits {
			t.InPlace = nil // what the author desires of the child waits with the rest
		}
		b.updateRecords(ctx, t)
	}
}

// leavesContent reports whether the desired state of a child has not reached it, after an apply with this
// result, so that its options have to be recorded apart from that. A child that is about to be deleted needs
// none.
func (b *batch) leavesContent(t task, outcome apply.Outcome, err error) bool {
	switch {
	case isStale(b.done.err), t.observed == nil, t.KeepsContent(t.observed):
		return false
	case err != nil:
		return b.done.unapplied[t.Key()] && outcome.Gone == nil
	case outcome.Action == apply.NeedsRecreation:
		last := b.done.children[len(b.done.children)-1]
		return !last.isReplaced || b.run.state.applied.HasFailedDeletion(t.Key())
	}
	return outcome.Conflict != nil
}

// updateRecords writes what makes an existing child the parent's, and what its options record.
func (b *batch) updateRecords(ctx context.Context, t task) {
	if err := b.run.updateRecords(ctx, t); err != nil {
		b.addFailure(t, err)
	}
}

// addFailure records a child that could not be applied.
func (b *batch) addFailure(t task, err error) {
	failed := errChild{key: t.Key(), err: err, creates: t.observed == nil && len(t.replaces) == 0}
	switch {
	case isStale(err):
		b.done.err = failed
	case t.kind.isUnserved(err): // the next look at the optional kinds finds that, too
		b.run.state.applied.RetryNow(t.Key())
		result := t.newResult()
		result.waitsFor = unservedText
		b.done.children = append(b.done.children, result)
	case b.run.isFinalizing() && apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		b.done.impossible = errors.Join(b.done.impossible, failed)
	default:
		b.done.unapplied[t.Key()] = true
		b.done.failed = append(b.done.failed, failed)
		if conflict, ok := errors.AsType[apply.ErrNameConflict](err); ok && conflict.CopiedBy != "" {
			b.copied = t.Key().String() // Sync took for absent what somebody has restored
		}
	}
}

// addOutcome records what became of a child. why says for what it waits; empty if it does not.
func (b *batch) addOutcome(ctx context.Context, t task, why string, outcome apply.Outcome) {
	result := t.newResult()
	isDrifted := outcome.Action == apply.NeedsRecreation
	if isDrifted && why == "" {
		why = b.recreationBlockReason(t)
	}
	switch {
	case why != "":
		result.object, result.waitsFor, result.conflict = outcome.Object, why, outcome.Conflict
		b.update.queue(t)
	case isDrifted && b.update.delaysRecreation(t, b.done.children):
		result.waitsFor = "has drifted and waits for its turn"
		b.update.queue(t)
	default:
		if isDrifted {
			if err := b.run.checkSuccessor(ctx, t, outcome.Object); err != nil {
				b.addFailure(t, err)
				return
			}
		}
		result.object, result.isReplaced, result.conflict = outcome.Object, isDrifted, outcome.Conflict
		result.altered, result.isOutdated = outcome.Altered, outcome.IsOutdated
		if isApplied(outcome) {
			b.run.request.recordRewrite(t.Key())
			result.staying = b.run.reportTakeover(ctx, t, outcome.Object)
			if !outcome.IsOutdated {
				result.whenApplied = t.source.WhenApplied
				b.run.state.outdated.remove(t.observed)
			}
		}
		if outcome.Object != nil {
			result.health = t.healthOf(outcome.Object)
			result.keptFields = b.run.keptFields(t, outcome.Object)
		}
		b.ready[t.Key()] = !isDrifted && result.conflict == nil && result.health.State == health.Ready
	}
	b.done.children = append(b.done.children, result)
}

// newResult returns the child of a task as it was observed.
func (t task) newResult() child {
	isApart := t.kind.NotPartOfReady
	if t.source.PartOfReady != nil {
		isApart = !*t.source.PartOfReady
	}
	return child{childKind: t.kind, name: t.Name, object: t.observed, isApart: isApart, notReady: t.source.NotReady, keepsDependents: t.WhenRecreated == declared.OrphanDependents}
}

// healthOf returns the health of an object as that of the child. If the object is ready by itself,
// Sync may say that the child is not.
func (t task) healthOf(object client.Object) health.Health {
	return t.kind.healthRules().Of(object).Unless(t.source.NotReady)
}

// isApplied reports whether an outcome leaves the child as it is desired, or as its strategy keeps
// it.
func isApplied(outcome apply.Outcome) bool {
	return outcome.Conflict == nil && outcome.Action != apply.Waiting && outcome.Action != apply.NeedsRecreation
}

// isBlocked reports whether a task waits for others.
func (b *batch) isBlocked(t task) bool {
	why, _ := t.blockReason(b.update, b.ready)
	return why != ""
}

// blockReason returns why a task is not carried out in this reconcile; empty if it is: it comes after
// others, Sync says that the change does not reach it yet, or it waits for its turn. It
// reports whether the answer of Sync is incomplete because of it. Among children of a kind
// that rolls, a healthy one that waits for its turn counts as ready: that they come one after
// the other is the order in which they are created, and a rolling update has its own order.
func (t task) blockReason(update *rollingUpdate, ready map[apply.Key]bool) (why string, isIncomplete bool) {
	if unready := t.unready(update, ready); len(unready) > 0 {
		return "waits for " + unready[0].String(), true
	}
	switch {
	case t.isRecreated() || !t.rolls() && t.source.NotUpdated == "" || !t.isOutdated():
	case t.source.NotUpdated != "" && t.Update.Rules().WritesChanges:
		return "is outdated and " + t.source.NotUpdated, false
	case t.rolls() && !update.turns[t.Key()]:
		return "is outdated and waits for its turn", false
	}
	return "", false
}

// unready returns those that a task comes after and that are not ready. A child that exists does not
// wait for those that only its creation comes after, unless Sync wants it recreated.
func (t task) unready(update *rollingUpdate, ready map[apply.Key]bool) (unready []apply.Key) {
	if t.observed != nil && !t.isRecreated() {
		return t.unreadyOf(t.after, update, ready)
	}
	return t.unreadyOf(t.dependencies(), update, ready)
}

// unreadyOf returns those of the keys that are not ready.
func (t task) unreadyOf(keys []apply.Key, update *rollingUpdate, ready map[apply.Key]bool) (unready []apply.Key) {
	for _, key := range keys {
		queued := update.queued[key]
		countsAsReady := t.rolls() && queued.kind == t.kind && queued.isHealthy
		if !ready[key] && !countsAsReady {
			unready = append(unready, key)
		}
	}
	return unready
}

// recreationBlockReason returns why a child that differs is not deleted to be created again; empty if it
// is. Its creation would wait for others.
func (b *batch) recreationBlockReason(t task) string {
	unready := t.unreadyOf(t.createAfter, b.update, b.ready)
	if len(unready) == 0 {
		return ""
	}
	b.done.isWaiting = true
	return "waits for " + unready[0].String()
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
