package reconcile

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// An owner reference names a version of the parent's kind. Once that has left the CRD, the garbage collector does not find
// the parent by it. The next write of a child renews its reference. Children that stay and get no such write are renewed
// here: those of a history, those that Sync keeps, those that are refused or wait, and those whose pruning waits.

// renewReferences gives those of the observed children that are not removed a fresh owner reference, where theirs is not.
// applied are those that were applied, as known now.
func (r *restorer) renewReferences(ctx context.Context, observed *observed, applied []child) error {
	if r.isFinalizing() {
		return nil
	}
	written := map[types.UID]client.Object{}
	for _, child := range applied {
		if child.object != nil {
			written[child.object.GetUID()] = child.object
		}
	}
	var failures []error
	for _, child := range observed.all() {
		uid := child.object.GetUID()
		if object, ok := written[uid]; ok {
			child.object = object
		}
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
