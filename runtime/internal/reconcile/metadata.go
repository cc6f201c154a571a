package reconcile

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// writeMetadata sets the labels and annotations of the parent that the author desires, and
// removes those that the author no longer does. It reports whether the parent has changed
// meanwhile. What somebody keeps changing is written less and less often.
func (r *run) writeMetadata(ctx context.Context, labels, annotations map[string]string) (isStale bool, err error) {
	author := apply.Metadata{Labels: labels, Annotations: annotations}
	desired, differs := author.CompleteFor(r.parent, r.loop.manager)
	if !differs || r.isDeleting() && len(r.parent.GetFinalizers()) == 0 {
		return false, nil
	}
	if r.state.metadata == nil {
		r.state.metadata = new(backoff.Budget)
	}
	budget, text := r.state.metadata, fmt.Sprintf("%#v", author)
	isRepetition := budget.State() == text
	if err := budget.Replay(r.now, text, r.parent.GetUID()); err != nil {
		return false, err
	}
	budget.SetState(text)
	kind := r.loop.parentKind
	r.metadataConflict, err = budget.Delay(r.now, status.ExplainConflict(ctx, r.loop.liveReader, kind.newObject(), r.parent, func(current client.Object) (string, []string) {
		return author.OtherManager(current, r.loop.manager)
	}))
	if r.metadataConflict != nil || err != nil {
		return false, err
	}
	body, err := desired.PatchBody(kind.GroupVersion().String(), kind.Kind, r.parent)
	if err != nil {
		return false, err
	}
	answer := kind.newObject()
	answer.SetName(r.parent.GetName())
	answer.SetNamespace(r.parent.GetNamespace())
	err = r.loop.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(r.loop.manager), client.ForceOwnership)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		r.staleCause = fmt.Errorf("write the parent's labels and annotations: %w", err)
		return true, nil
	}
	if err != nil {
		return false, budget.Fail(r.now, text, r.parent.GetUID(), err)
	}
	if budget.Succeeded(); isRepetition {
		budget.Spend(r.now)
	}
	// The labels and annotations of the answer are the operator's own change.
	r.parent.SetLabels(answer.GetLabels())
	r.parent.SetAnnotations(answer.GetAnnotations())
	r.recordParentWrite(answer, "metadata.labels and metadata.annotations")
	return false, nil
}

// removeMetadata removes this operator's labels and annotations from the parent.
func (r *run) removeMetadata(ctx context.Context) (isStale bool, err error) {
	return r.writeMetadata(ctx, map[string]string{}, map[string]string{})
}
