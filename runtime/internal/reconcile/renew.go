package reconcile

import (
	"context"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// An owner reference names a version of the parent's kind. Once that has left the CRD, the garbage collector does not find
// the parent by it. The next write of a desired child renews its reference. Children that stay and are not desired get no
// such write: those of a history, those that Sync keeps, and those whose pruning waits. They are renewed here.

// renewReferences gives those of the children that are not removed a fresh owner reference, where theirs is not.
func (r *restorer) renewReferences(ctx context.Context, children []child) error {
	if r.isFinalizing() {
		return nil
	}
	var failures []error
	for _, child := range children {
		uid := child.object.GetUID()
		if r.writer.removed[uid] || child.object.GetDeletionTimestamp() != nil || !ownership.HasStaleReference(child.object, r.owner()) {
			continue
		}
		budget := &r.state.missing.lookAt(uid).budget
		object, conflict, err := child.applier.RestoreMarks(ctx, r.now, budget, child.key(), child.object, r.parent.GetUID(), r.marksAsBefore(child))
		switch {
		case err != nil:
			failures = append(failures, errChild{key: child.key(), err: err})
		case conflict != nil:
			failures = append(failures, errMarksRemoved{child.key(), conflict.Manager})
		default:
			r.writer.recordChildWrite(child.childKind, child.key().String(), object)
		}
	}
	return staleOrJoined(failures...)
}
