package operator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// writeMetadata gives the parent the labels and annotations that the author
// wants it to have, and takes those off that the author no longer does. It
// reports whether the parent has changed meanwhile. What somebody keeps changing back
// is written less and less often.
func (p *pass) writeMetadata(ctx context.Context, labels, annotations map[string]string) (stale bool, err error) {
	said := apply.Metadata{Labels: labels, Annotations: annotations}
	wanted, differs := said.Over(p.parent, p.manager)
	if !differs || p.deleting() && len(p.parent.GetFinalizers()) == 0 {
		return false, nil
	}
	if p.state.metadata == nil {
		p.state.metadata = new(backoff.Budget)
	}
	budget, state := p.state.metadata, fmt.Sprintf("%#v", said)
	again := budget.State() == state // so that to write it is a repetition
	if err := budget.Replay(p.now, state, p.parent.GetUID()); err != nil {
		return false, err
	}
	budget.SetState(state)
	p.held, err = budget.Hold(p.now, p.explain(ctx, func(live client.Object) (string, []string) { return said.OtherManager(live, p.manager) }))
	if p.held != nil || err != nil {
		return false, err
	}
	kind := p.loop.parent
	body, err := wanted.Body(kind.GroupVersion().String(), kind.Kind, p.parent)
	if err != nil {
		return false, err
	}
	answer := kind.new()
	answer.SetName(p.parent.GetName())
	answer.SetNamespace(p.parent.GetNamespace())
	err = p.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(p.manager), client.ForceOwnership)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		p.conflict = fmt.Errorf("write the parent's labels and annotations: %w", err)
		return true, nil
	}
	if err != nil {
		return false, budget.Fail(p.now, state, p.parent.GetUID(), err)
	}
	if budget.Succeeded(); again {
		budget.Spend(p.now)
	}
	// What follows of our own write is nobody else's change.
	p.parent.SetLabels(answer.GetLabels())
	p.parent.SetAnnotations(answer.GetAnnotations())
	p.wroteParent(answer, "metadata.labels and metadata.annotations")
	return false, nil
}

// takeBackMetadata takes this operator's labels and annotations off the parent.
func (p *pass) takeBackMetadata(ctx context.Context) (stale bool, err error) {
	return p.writeMetadata(ctx, map[string]string{}, map[string]string{})
}
