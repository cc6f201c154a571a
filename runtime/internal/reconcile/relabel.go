package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// hasLostLabel reports whether an object is this parent's child although its label is gone, or
// is not what this controller wrote: somebody edited it while the operator was down. What is
// left is the annotation, which names the parent and which only this controller may have
// written.
//
// The annotation names no UID. A child of an earlier parent of this name looks the same, and
// a parent does not inherit those: the garbage collector goes by the UID, too. The annotation
// was written before this parent was created then. No other living parent has this kind and
// name, so that none loses a child.
func hasLostLabel(r *run, object client.Object) bool {
	keys, manager := r.loop.childCache.keys, r.loop.manager
	if keys.ParentName(object) != r.owner().String() {
		return false
	}
	if _, labelled := apply.MetadataWrittenAt(object, manager, "labels", keys.Label); labelled {
		return false // the label is right: of an earlier parent
	}
	named, isOurs := apply.MetadataWrittenAt(object, manager, "annotations", keys.Parent)
	return isOurs && !named.Before(r.parent.GetCreationTimestamp().Time)
}

// restoreLabel gives a child that has lost its label the label back. The next reconcile does
// the rest, since it observes the child: a rolling update has its turns, for example.
func restoreLabel(ctx context.Context, r *run, t task, current client.Object) (apply.Outcome, error) {
	desired, keys := t.Desired, r.loop.childCache.keys
	if rules := desired.Strategy.Rules(); rules.RepairsDrift && rules.WritesChanges { // with the others, no apply changes the options
		option := current.GetAnnotations()[keys.WhenRemoved]
		desired.Ownership = func() map[string]any {
			return keys.Ownership(r.owner(), t.byReference, option)
		}
	}
	return t.kind.applier.RestoreOwnership(ctx, r.now, &r.state.applied, desired, current)
}
