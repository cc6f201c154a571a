package reconcile

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// removalPolicy returns what becomes of a child that is undesired, or whose parent is
// finalized.
func (s *subject) removalPolicy(child child) declared.DeletionPolicy {
	if s.isOrphaning() && !child.ForbidDisconnect {
		return declared.Orphan
	}
	if s.isFinalizing() {
		return s.loop.policiesOf(child).WhenDeleted
	}
	return s.loop.policiesOf(child).WhenDropped
}

// replacements returns the children that make room for others: those to recreate, and those that a
// desired child replaces.
func (done applied) replacements() []child {
	return append(slices.DeleteFunc(slices.Clone(done.children), func(c child) bool { return !c.isReplaced }), done.first...)
}

// findPrunes returns the undesired children that are pruned now. A child that could not be applied
// delays the pruning of its kind, and the brake holds prunes that no change of a parent explains.
func (r *run) findPrunes(ctx context.Context, done applied, undesired, kept []child) (prunes, error) {
	if done.delaysPruning(r) {
		return prunes{}, nil
	}
	delayed := map[schema.GroupVersionKind]bool{}
	for key, isUnapplied := range done.unapplied {
		delayed[key.Kind] = delayed[key.Kind] || isUnapplied
	}
	due := slices.DeleteFunc(slices.Clone(undesired), func(c child) bool { return delayed[c.GroupVersionKind] })
	if len(due) == 0 && len(undesired) > 0 {
		return prunes{}, nil
	}
	found, err := r.limitPrunes(ctx, due, kept)
	found.isAll = found.isAll && len(due) == len(undesired)
	return found, err
}

// delaysPruning reports whether every undesired child stays for now: a desired child waits for
// another to get ready, or one could not be applied in an ordered teardown. Otherwise a child that
// could not be applied, and what comes after it, delay only the pruning of their own kinds: an
// undesired child of the kind may stand in for them.
func (done applied) delaysPruning(r *run) bool {
	return done.isWaiting || r.isFinalizing() && r.loop.definition.IsOrdered && len(done.failed) > 0
}

// removeChildren deletes or orphans children, unless a live read shows that the parent has
// changed.
func (w *writer) removeChildren(ctx context.Context, children []child) error {
	if len(children) == 0 {
		return nil
	}
	if err := w.checkUnchanged(ctx); err != nil {
		return err
	}
	if err := w.recordRecreations(ctx, children); err != nil {
		return err
	}
	var failures []error
	for _, child := range children {
		remove := w.deleteObject
		if !child.isReplaced && w.removalPolicy(child) == declared.Orphan {
			remove = w.orphanObject
		}
		if err := remove(ctx, child); err != nil && !w.waitForBudget(child, err) {
			failures = append(failures, errChild{key: child.key(), err: err})
		}
	}
	return staleOrJoined(failures...)
}

// deleteObject deletes a child. It returns an apply.ErrStale if the child did not exist any
// more: the API server that answered may know less than the cache, so the reconcile is
// repeated.
func (w *writer) deleteObject(ctx context.Context, child child) error {
	existed := false
	err := w.state.applied.Delete(w.now, child.key(), child.object, func() (err error) {
		existed, err = w.sendDeletion(ctx, child)
		return err
	})
	if err != nil {
		return err
	}
	w.recordChildRemoval(child)
	w.state.applied.MarkDeleted(child.key())
	w.recordRelated(child.GroupVersionKind, child.object, w.state.writes.RecordDeletion)
	if !existed {
		return apply.ErrStale{Key: child.key()}
	}
	w.loop.environment.Metrics.CountWrite(w.loop.definition.Name, child.Kind, "deleted")
	log.FromContext(ctx).V(1).Info("deleted a child", "child", child.key().String(), "recreated", child.isReplaced)
	return nil
}

// orphanObject removes the owner reference and marks of a child, which then stays without an owner.
func (w *writer) orphanObject(ctx context.Context, child child) error {
	return w.orphanWith(ctx, child, nil)
}

// orphanWith orphans a child and gives it annotations.
func (w *writer) orphanWith(ctx context.Context, child child, annotations map[string]string) error {
	if err := w.loop.removeOwnership(ctx, child, w.parent.GetUID(), annotations); err != nil {
		return err
	}
	w.recordChildRemoval(child)
	w.loop.environment.Metrics.CountWrite(w.loop.definition.Name, child.Kind, "orphaned")
	log.FromContext(ctx).V(1).Info("orphaned a child", "child", child.key().String())
	return nil
}

func (l *loop) removeOwnership(ctx context.Context, child child, parent types.UID, annotations map[string]string) error {
	keys := l.childCache.keys
	marks := apply.Marks{Labels: keys.Labels(), Annotations: keys.Annotations(), Added: annotations}
	return child.applier.OrphanChild(ctx, child.key(), child.object, parent, marks)
}
