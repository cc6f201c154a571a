package operator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// finalize is the pass over a parent that is to go: the author's Finalize, until
// it says Finalized, then the children that the garbage collector does not see to.
func (r *reconciler[P, S, C, D, R]) finalize(ctx context.Context, p *pass) verdict {
	response, children := new(Response[D, S]), p.all()
	if r.definition.Finalize != nil && !p.state.finalized {
		answer, report, err := r.answer(ctx, p)
		if report.stale || ctx.Err() != nil {
			return verdict{stale: true}
		}
		if response, children = answer, report.children; err != nil || !response.Finalized {
			return r.conclude(ctx, p, response, children, err)
		}
		p.state.finalized = true
		if p.observed, err = p.observe(p.parent); err != nil {
			return verdict{err: err}
		}
		p.include(children)
	}
	done, stale, err := p.dismantle(ctx)
	if stale {
		return verdict{stale: true}
	}
	if err == nil && done && !p.deleting() { // it goes on without us
		if stale, err = p.takeBackMetadata(ctx); stale {
			return verdict{stale: true}
		}
	}
	end := r.conclude(ctx, p, response, children, err)
	if end.stale || end.err != nil || !done {
		return end
	}
	end.stale, end.err = p.dropFinalizer(ctx)
	return end
}

// include adds those of the children to the observed ones that are too new to be
// observed.
func (p *pass) include(children []child) {
	known := map[types.UID]bool{}
	for _, child := range p.all() {
		known[child.object.GetUID()] = true
	}
	for _, child := range children {
		if child.object == nil || known[child.object.GetUID()] {
			continue
		}
		i := slices.Index(p.children, child.childKind)
		p.observed[i] = append(p.observed[i], child.object)
	}
}

// holdFinalizer makes the parent carry the finalizer. It reports whether the
// parent has changed meanwhile.
func (p *pass) holdFinalizer(ctx context.Context) (stale bool, err error) {
	if controllerutil.ContainsFinalizer(p.parent, p.finalizer) {
		return false, nil
	}
	return p.patchFinalizers(ctx, controllerutil.AddFinalizer)
}

// dropFinalizer lets the parent go.
func (p *pass) dropFinalizer(ctx context.Context) (stale bool, err error) {
	if !controllerutil.ContainsFinalizer(p.parent, p.finalizer) {
		return false, nil
	}
	return p.patchFinalizers(ctx, controllerutil.RemoveFinalizer)
}

// settleFinalizer makes the parent carry the finalizer exactly while it is
// needed, before any child is made that needs it.
func (p *pass) settleFinalizer(ctx context.Context, needed bool) (stale bool, err error) {
	switch {
	case p.finalizing():
		return false, nil
	case needed:
		stale, err = p.holdFinalizer(ctx)
	default:
		stale, err = p.dropFinalizer(ctx)
	}
	if err != nil {
		err = fmt.Errorf("write the finalizer: %w", err)
	}
	return stale, err
}

// patchFinalizers writes the parent's finalizers. The list is written whole, so
// the patch is refused if the parent is no longer the same. One that failed is not sent
// again before its time.
func (p *pass) patchFinalizers(ctx context.Context, change func(client.Object, string) bool) (stale bool, err error) {
	changed := p.parent.DeepCopyObject().(client.Object)
	change(changed, p.finalizer)
	budget, state := &p.state.finalizers, strings.Join(changed.GetFinalizers(), " ")
	if err := budget.Replay(p.now, state, p.parent.GetUID()); err != nil {
		return false, err
	}
	patch := client.MergeFromWithOptions(p.parent, client.MergeFromWithOptimisticLock{})
	err = p.client.Patch(ctx, changed, patch, client.FieldOwner(p.manager))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		p.conflict = fmt.Errorf("write the finalizer: %w", err)
		return true, nil
	}
	if err != nil {
		return false, budget.Fail(p.now, state, p.parent.GetUID(), err)
	}
	budget.Succeeded()
	p.wroteParent(changed, "metadata.finalizers")
	return false, nil
}

// untouched tells whether nothing of this controller's is left in the parent, and
// nothing belongs to it.
func (p *pass) untouched() bool {
	_, marked := apply.Metadata{Labels: map[string]string{}, Annotations: map[string]string{}}.Over(p.parent, p.manager)
	return len(p.all()) == 0 && !marked && !controllerutil.ContainsFinalizer(p.parent, p.finalizer)
}

// wroteParent goes on with the parent as the API server answered it, when it was
// asked to change these fields.
func (p *pass) wroteParent(answer client.Object, fields ...string) {
	p.wrote = append(p.wrote, fields...)
	p.overtaken = p.overtaken || overtaken(p.parent, answer)
	p.parent = answer
	if p.deleting() && len(answer.GetFinalizers()) == 0 {
		p.state.writes.Gone(&p.written, answer, p.now)
		return
	}
	p.state.writes.Wrote(&p.written, answer, p.now)
}

// overtaken tells whether the answer to a write of ours holds a change of
// someone else's, too, which this pass has not seen.
func overtaken(seen, answer client.Object) bool {
	return seen.GetGeneration() != answer.GetGeneration() ||
		!seen.GetDeletionTimestamp().Equal(answer.GetDeletionTimestamp()) ||
		!maps.Equal(seen.GetLabels(), answer.GetLabels()) ||
		!maps.Equal(seen.GetAnnotations(), answer.GetAnnotations())
}
