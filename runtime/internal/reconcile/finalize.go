package reconcile

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// finalizeParent calls the author's Finalize until it returns Finalized, removes the children that
// the garbage collector does not delete, and then removes the finalizer. The brake may hold all of
// this for an object that is not selected any more.
func (r *run) finalizeParent(ctx context.Context, observed *observed) outcome {
	response, done := new(declared.Response), applied{children: observed.all()}
	if done.prunes.heldText, done.err = r.holdOptOut(ctx, done.children); done.err != nil || done.prunes.heldText != "" {
		return r.reportOutcome(ctx, observed, response, done)
	}
	if finished, isOpen := r.finishRecreations(ctx, observed); isOpen {
		return r.reportOutcome(ctx, observed, response, finished)
	}
	if r.loop.definition.Author.Finalize != nil && !r.finalizeHasReturned() {
		response, done = r.callAndApply(ctx, observed)
		if done.err != nil || !r.hasFinalized(response) {
			done.err = staleOrJoined(done.err, done.impossible)
			end := r.reportOutcome(ctx, observed, response, done)
			if end.err == nil && response.Finalized && end.requeue == 0 {
				end.requeue = backoff.Stale // nothing may wake the parent once the related objects are gone
			}
			return end
		}
		if done.impossible != nil {
			r.warn(ctx, errorReason(done.impossible), "Finalize has returned Finalized, and the parent goes without this: "+errorMessage(done.impossible))
		}
		r.state.finalized = true
		current, err := r.loop.observeChildren(r.parent)
		if err != nil {
			return outcome{err: err}
		}
		observed.children = current.children
		observed.addMissing(done.children)
	}
	isDone, err := false, r.removePatches(ctx, r.patchedNow(observed))
	if err == nil {
		isDone, err = r.removeAllChildren(ctx, observed)
	}
	if err == nil && isDone && !r.isDeleting() { // the object stays, and is no parent any more
		err = r.writer.removeMetadata(ctx)
	}
	if err == nil && isDone {
		r.restorer.err = nil // what has lost its marks holds up no parent that goes
	}
	done.err = err
	end := r.reportOutcome(ctx, observed, response, done)
	if end.err == nil && isDone {
		end.err = r.explainRights(r.writer.removeFinalizer(ctx))
	}
	return end
}

// hasFinalized reports whether the author's Finalize lets the parent go. It does not while a related object
// is to be deleted: Finalize runs no more after that, and a deletion that is refused would not be repeated.
func (r *run) hasFinalized(response *declared.Response) bool {
	return response.Finalized && len(r.deletions) == 0
}

// finalizeHasReturned reports whether the author's Finalize has returned Finalized for this parent.
func (s *subject) finalizeHasReturned() bool {
	return s.state.finalized || s.hasRecord(finalizedKey)
}

// removeAllChildren removes the children of a parent that is finalized, without those that the
// garbage collector deletes after it. With an ordered teardown it removes one kind after the
// other, the last first, each when the one before is gone. It reports whether all is done.
func (r *run) removeAllChildren(ctx context.Context, observed *observed) (isDone bool, err error) {
	isOrdered := r.loop.definition.IsOrdered
	for i := len(observed.kinds) - 1; i >= 0; i-- {
		var removed []child
		waits := false
		for _, object := range observed.children[i] {
			child := (observed.kinds[i]).newChild(object)
			if !r.isChild(child) { // somebody keeps removing its marks
				continue
			}
			isDeleted := r.removalPolicy(child) == declared.Delete
			if r.isDeleting() && isDeleted && r.isCollected(child) {
				continue
			}
			waits = waits || isDeleted
			if object.GetDeletionTimestamp() == nil && !r.writer.removed[object.GetUID()] {
				removed = append(removed, child)
			}
		}
		if len(removed) > 0 && r.loop.definition.Author.Finalize != nil {
			if err := r.writer.addRecord(ctx, finalizedKey); err != nil {
				return false, err
			}
		}
		if err := r.writer.removeChildren(ctx, removed); err != nil {
			return false, err
		}
		if isOrdered && waits {
			return false, nil
		}
	}
	err = r.loop.checkHidden()
	return err == nil, err
}

// needsFinalizer reports whether the parent must not go without the operator: the author has a
// Finalize, or there is a child that the garbage collector does not know of or must not
// delete, or a patch.
func (r *run) needsFinalizer(observed *observed, plan plan) bool {
	definition := &r.loop.definition
	if definition.Author.Finalize != nil || len(r.recreations()) > 0 || len(r.patches.desired) > 0 || len(observed.patched) > 0 || r.loop.checkHidden() != nil {
		return true
	}
	for _, task := range slices.Concat(plan.tasks, plan.unwritten) {
		if !task.byReference {
			return true
		}
	}
	for _, child := range observed.all() {
		if !r.isCollected(child) || r.loop.policiesOf(child).WhenDeleted != declared.Delete {
			return true
		}
	}
	return false
}

// isCollected reports whether the garbage collector may be left to delete a child after its parent.
func (s *subject) isCollected(child child) bool {
	return ownership.HasOwnerReference(child.object, s.parent.GetUID()) && !child.ForbidDisconnect && !s.loop.definition.IsOrdered
}

// addFinalizer adds the finalizer to the parent.
func (w *writer) addFinalizer(ctx context.Context) error {
	if controllerutil.ContainsFinalizer(w.parent, w.loop.finalizer) {
		return nil
	}
	return w.patchParent(ctx, func(parent client.Object) { controllerutil.AddFinalizer(parent, w.loop.finalizer) })
}

// removeFinalizer removes the finalizer from the parent, so that it can go, and the records with
// it.
func (w *writer) removeFinalizer(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(w.parent, w.loop.finalizer) {
		return nil
	}
	return w.patchParent(ctx, func(parent client.Object) {
		controllerutil.RemoveFinalizer(parent, w.loop.finalizer)
		w.dropRecords(parent)
	})
}

// updateFinalizer adds or removes the finalizer, before any child is created that needs it.
func (w *writer) updateFinalizer(ctx context.Context, isNeeded bool) error {
	switch {
	case w.isFinalizing():
		return nil
	case isNeeded:
		return w.addFinalizer(ctx)
	}
	return w.removeFinalizer(ctx)
}

// isUntouched reports whether the parent has no children, and nothing in it is this
// controller's.
func (s *subject) isUntouched(observed *observed) bool {
	_, hasMetadata := apply.Metadata{Labels: map[string]string{}, Annotations: map[string]string{}}.CompleteFor(s.parent, s.loop.manager)
	return observed.isEmpty() && !hasMetadata && !controllerutil.ContainsFinalizer(s.parent, s.loop.finalizer)
}
