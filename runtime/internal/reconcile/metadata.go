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
func (w *writer) writeMetadata(ctx context.Context, labels, annotations map[string]string) error {
	author := apply.Metadata{Labels: labels, Annotations: annotations}
	desired, differs := author.CompleteFor(w.parent, w.loop.manager)
	if !differs || w.isDeleting() && len(w.parent.GetFinalizers()) == 0 {
		return nil
	}
	if err := w.repeatMetadata(ctx, author, desired); err != nil {
		return fmt.Errorf("write the parent's labels and annotations: %w", err)
	}
	return nil
}

// repeatMetadata writes the metadata, unless that was done before and does not last.
func (w *writer) repeatMetadata(ctx context.Context, author, desired apply.Metadata) (err error) {
	if w.state.metadata == nil {
		w.state.metadata = new(backoff.Budget)
	}
	budget, text := w.state.metadata, fmt.Sprintf("%#v", author)
	isRepetition := budget.State() == text && budget.Failure(text, w.parent.GetUID()) == nil
	if err := budget.Replay(w.now, text, w.parent.GetUID()); err != nil {
		return err
	}
	budget.SetState(text)
	kind := w.loop.parentKind
	w.metadataConflict, err = budget.Delay(w.now, status.ExplainConflict(ctx, w.loop.liveReader, kind.newObject(), w.parent, func(current client.Object) (string, []string) {
		return author.OtherManager(current, w.loop.manager)
	}))
	if w.metadataConflict != nil || err != nil {
		return err
	}
	body, err := desired.PatchBody(kind.GroupVersion().String(), kind.Kind, w.parent)
	if err != nil {
		return err
	}
	answer := kind.newObject()
	answer.SetName(w.parent.GetName())
	answer.SetNamespace(w.parent.GetNamespace())
	err = w.loop.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(w.loop.manager), client.ForceOwnership)
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errStale{err}
	case err != nil:
		return budget.Fail(w.now, text, w.parent.GetUID(), err)
	}
	if budget.Succeeded(); isRepetition {
		budget.Spend(w.now)
	}
	// The labels and annotations of the answer are the operator's own change.
	w.parent.SetLabels(answer.GetLabels())
	w.parent.SetAnnotations(answer.GetAnnotations())
	w.recordParentWrite(answer, "metadata.labels and metadata.annotations")
	return nil
}

// removeMetadata removes this operator's labels and annotations from the parent.
func (w *writer) removeMetadata(ctx context.Context) error {
	return w.writeMetadata(ctx, map[string]string{}, map[string]string{})
}
