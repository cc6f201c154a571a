package operator

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// lost tells whether an object is this parent's child although the label that
// would say so is gone, or is not what this controller wrote: somebody edited it
// while the operator was down. What is left is the annotation, which names the
// parent and which only this controller may have written.
//
// The annotation names no UID. So a child of a parent that had this name before
// looks the same, and a parent does not inherit those: the garbage collector goes
// by the UID, too. The annotation was written before this parent was made then.
// No other living parent has this kind and name, so none loses a child.
func (p *pass) lost(object client.Object) bool {
	keys := p.offspring.keys
	if keys.Named(object) != p.owner().String() {
		return false
	}
	if _, labelled := apply.Wrote(object, p.manager, "labels", keys.Label); labelled {
		return false // and so it is right: of an earlier parent
	}
	named, ours := apply.Wrote(object, p.manager, "annotations", keys.Parent)
	return ours && !named.Before(p.parent.GetCreationTimestamp().Time)
}

// takeBack gives a lost child its label back. The rest is the next pass's, which
// observes it: a roll, for one, has its turns.
func (p *pass) takeBack(ctx context.Context, t task, live client.Object) (apply.Outcome, error) {
	desired := t.Desired
	if desired.Strategy != apply.CreateOnly && desired.Strategy != apply.OnDelete { // to which no apply brings a new option
		noted := live.GetAnnotations()[p.offspring.keys.WhenRemoved]
		desired.Ownership = func() map[string]any {
			return p.offspring.keys.Ownership(p.owner(), t.byReference, noted)
		}
	}
	return t.kind.applier.TakeBack(ctx, p.now, &p.state.memo, desired, live)
}
