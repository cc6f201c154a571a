package operator

import (
	"context"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// holdFinalizer makes the parent carry the finalizer if it is needed, before
// any child exists, and drops it from one that no longer needs it. It reports
// whether the parent has changed meanwhile.
func (p *pass) holdFinalizer(ctx context.Context, needed bool) (stale bool, err error) {
	if !needed {
		return p.dropFinalizer(ctx)
	}
	if p.finalizing() {
		return false, nil
	}
	return p.patchFinalizers(ctx, controllerutil.AddFinalizer)
}

// dropFinalizer lets the parent go.
func (p *pass) dropFinalizer(ctx context.Context) (stale bool, err error) {
	return p.patchFinalizers(ctx, controllerutil.RemoveFinalizer)
}

// patchFinalizers writes the parent if change does change it. The list is
// written whole, so the patch is refused if the parent is no longer the same.
func (p *pass) patchFinalizers(ctx context.Context, change func(client.Object, string) bool) (stale bool, err error) {
	changed := p.parent.DeepCopyObject().(client.Object)
	if !change(changed, p.finalizer) {
		return false, nil
	}
	patch := client.MergeFromWithOptions(p.parent, client.MergeFromWithOptimisticLock{})
	err = p.client.Patch(ctx, changed, patch, client.FieldOwner(p.manager))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	p.wroteParent(changed)
	return false, nil
}

// wroteParent goes on with the parent as the API server answered it.
func (p *pass) wroteParent(answer client.Object) {
	p.overtaken = p.overtaken || overtaken(p.parent, answer)
	p.parent = answer
	if p.finalizing() && len(answer.GetFinalizers()) == 0 {
		return // that was the last write: the parent is gone
	}
	p.state.writes.Wrote(p.loop.parent.GroupVersionKind, p.loop.parent.empty, answer, p.now)
}

// overtaken tells whether the answer to a write of ours holds a change of
// someone else's, too, which this pass has not seen.
func overtaken(seen, answer client.Object) bool {
	return seen.GetGeneration() != answer.GetGeneration() ||
		!seen.GetDeletionTimestamp().Equal(answer.GetDeletionTimestamp()) ||
		!maps.Equal(seen.GetLabels(), answer.GetLabels()) ||
		!maps.Equal(seen.GetAnnotations(), answer.GetAnnotations())
}
