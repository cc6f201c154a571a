package operator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// writeStatus writes what changes in the parent's status: the author's part if
// the response has one, and the runtime's conditions and observedGeneration in any case.
// An author's part that was refused is not sent again before its time.
func (r *reconciler[P, S, C, D, R]) writeStatus(ctx context.Context, p *pass, response *Response[D, S], conditions []metav1.Condition, failed error) error {
	if r.definition.Status == nil {
		return nil
	}
	authored := response.Status != nil || response.Conditions != nil
	refused := p.state.status.refused
	if authored && refused != nil {
		if err := refused.Replay(p.now, r.stateOf(response), p.parent.GetUID()); err != nil {
			return err
		}
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
	err := r.patchStatus(ctx, p, before, &after)
	switch {
	case !authored || errors.As(err, new(apply.ErrStale)):
		return err
	case err == nil:
		p.state.status.refused = nil
		return nil
	case refused == nil:
		refused = new(backoff.Budget)
		p.state.status.refused = refused
	}
	return refused.Fail(p.now, r.stateOf(response), p.parent.GetUID(), err)
}

// stateOf names what a response wants of the parent, as a state of a write budget.
func (r *reconciler[P, S, C, D, R]) stateOf(response *Response[D, S]) string {
	return strconv.FormatUint(r.sumOf(response), 16)
}

// patchStatus writes the difference between two statuses, if there is any.
func (r *reconciler[P, S, C, D, R]) patchStatus(ctx context.Context, p *pass, before, after *S) error {
	if p.unkept = nil; reflect.DeepEqual(before, after) && p.state.status.conflict == nil {
		return nil
	}
	desired, err := compare(before, after)
	if err != nil {
		return err
	}
	lost, err := p.holdStatus(ctx, desired)
	if err != nil {
		return fmt.Errorf("read the parent, whose status somebody keeps changing: %w", err)
	}
	skip := lost
	if p.unkept == nil {
		skip = nil
	}
	changes := desired.changes(skip)
	if len(changes.steps) == 0 {
		p.keepStatus(desired, desired.is, lost, false)
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
		return r.parentChanged(p)
	case apierrors.IsConflict(err):
		p.conflict = fmt.Errorf("write the status: %w", err)
		return r.parentChanged(p)
	case err != nil:
		return err
	}
	p.state.vain = vainPatch{}
	if answer.GetResourceVersion() == p.parent.GetResourceVersion() {
		p.state.vain = vainPatch{before, changes}
	}
	p.wroteParent(answer, changes.paths()...)
	fields, err := jsonFields(r.definition.Status(answer.(P)))
	if err != nil {
		return err
	}
	p.keepStatus(desired, fields, lost, true)
	return nil
}

// parentChanged is the error of a write that met another state of the parent.
func (r *reconciler[P, S, C, D, R]) parentChanged(p *pass) error {
	return apply.ErrStale{Key: apply.Key{Kind: r.parent.GroupVersionKind, Name: client.ObjectKeyFromObject(p.parent)}}
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
