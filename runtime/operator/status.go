package operator

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// writeStatus writes what changes in the parent's status: the author's part if
// the response has one, and the runtime's conditions and observedGeneration in any case.
func (r *reconciler[P, S, C, D, R]) writeStatus(ctx context.Context, p *pass, response *Response[D, S], conditions []metav1.Condition, failed error) error {
	if r.definition.Status == nil {
		return nil
	}
	before := r.definition.Status(p.parent.(P))
	after := *before
	if response.Status != nil {
		after = *response.Status
	}
	if observed := r.definition.ObservedGeneration; observed != nil {
		*observed(&after) = p.parent.GetGeneration()
	}
	if of := r.definition.Conditions; of != nil {
		ours := func(conditionType string) bool { return apply.OwnsCondition(p.parent, r.manager, conditionType) }
		*of(&after) = mergeConditions(*of(before), conditions, response.Conditions, ours, failed != nil, p.parent.GetGeneration(), p.now)
	}
	return r.patchStatus(ctx, p, before, &after)
}

// patchStatus writes the difference between two statuses, if there is any.
func (r *reconciler[P, S, C, D, R]) patchStatus(ctx context.Context, p *pass, before, after *S) error {
	if p.unkept = nil; reflect.DeepEqual(before, after) && p.state.status.contest == nil {
		return nil
	}
	wanted, err := compare(before, after)
	if err != nil {
		return err
	}
	lost, err := p.holdBack(ctx, wanted)
	if err != nil {
		return fmt.Errorf("read the parent, whose status somebody keeps changing: %w", err)
	}
	changes := wanted.changes()
	if len(changes.steps) == 0 {
		p.keptAll(wanted, lost)
		return nil
	}
	if p.state.vain.again(before, changes) {
		return nil
	}
	patch, err := changes.patch(p.parent)
	if err != nil {
		return err
	}
	answer := r.parent.new()
	answer.SetName(p.parent.GetName())
	answer.SetNamespace(p.parent.GetNamespace())
	err = r.client.Status().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(r.manager))
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case jsonpatch.Unfit(err):
		return apply.ErrStale{Key: apply.Key{Kind: r.parent.GroupVersionKind, Name: client.ObjectKeyFromObject(p.parent)}}
	case err != nil:
		return err
	}
	p.state.vain = vainPatch{}
	if answer.GetResourceVersion() == p.parent.GetResourceVersion() {
		p.state.vain = vainPatch{before, changes}
	}
	p.wroteParent(answer, changes.paths()...)
	return p.keptStatus(wanted, r.definition.Status(answer.(P)), lost)
}

// vainPatch is a patch that the API server took and that changed nothing: the
// CRD does not know a field, or has a default for one that is to be removed.
type vainPatch struct {
	before  any // the status
	changes changes
}

func (v vainPatch) again(before any, changes changes) bool {
	return reflect.DeepEqual(v.changes, changes) && reflect.DeepEqual(v.before, before)
}

// hasConverged tells whether a parent's status says that it is ready as it is.
func (r *reconciler[P, S, C, D, R]) hasConverged(parent client.Object) bool {
	if r.definition.Status == nil || r.definition.Conditions == nil {
		return false
	}
	return isReady(*r.definition.Conditions(r.definition.Status(parent.(P))), parent.GetGeneration())
}
