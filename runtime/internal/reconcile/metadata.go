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
// removes those that the author no longer does. What somebody keeps changing is written less and
// less often. The error is stale if the parent has changed meanwhile.
func (r *run) writeMetadata(ctx context.Context, labels, annotations map[string]string) error {
	author := apply.Metadata{Labels: labels, Annotations: annotations}
	desired, differs := author.CompleteFor(r.parent, r.loop.manager)
	if !differs || r.isDeleting() && len(r.parent.GetFinalizers()) == 0 {
		return nil
	}
	if err := r.repeatMetadata(ctx, author, desired); err != nil {
		return fmt.Errorf("write the parent's labels and annotations: %w", err)
	}
	return nil
}

// repeatMetadata writes the metadata, unless that was done before and does not last.
func (r *run) repeatMetadata(ctx context.Context, author, desired apply.Metadata) (err error) {
	if r.state.metadata == nil {
		r.state.metadata = new(backoff.Budget)
	}
	budget, text := r.state.metadata, fmt.Sprintf("%#v", author)
	isRepetition := budget.State() == text
	if err := budget.Replay(r.now, text, r.parent.GetUID()); err != nil {
		return err
	}
	budget.SetState(text)
	kind := r.loop.parentKind
	r.metadataConflict, err = budget.Delay(r.now, status.ExplainConflict(ctx, r.loop.liveReader, kind.newObject(), r.parent, func(current client.Object) (string, []string) {
		return author.OtherManager(current, r.loop.manager)
	}))
	if r.metadataConflict != nil || err != nil {
		return err
	}
	body, err := desired.PatchBody(kind.GroupVersion().String(), kind.Kind, r.parent)
	if err != nil {
		return err
	}
	answer := kind.newObject()
	answer.SetName(r.parent.GetName())
	answer.SetNamespace(r.parent.GetNamespace())
	err = r.loop.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(r.loop.manager), client.ForceOwnership)
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errStale{err}
	case err != nil:
		return budget.Fail(r.now, text, r.parent.GetUID(), err)
	}
	if budget.Succeeded(); isRepetition {
		budget.Spend(r.now)
	}
	// The labels and annotations of the answer are the operator's own change.
	r.parent.SetLabels(answer.GetLabels())
	r.parent.SetAnnotations(answer.GetAnnotations())
	r.recordParentWrite(answer, "metadata.labels and metadata.annotations")
	return nil
}

// removeMetadata removes this operator's labels and annotations from the parent.
func (r *run) removeMetadata(ctx context.Context) error {
	return r.writeMetadata(ctx, map[string]string{}, map[string]string{})
}
