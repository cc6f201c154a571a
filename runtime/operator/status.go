package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// writeStatus writes what changes in the parent's status: the author's part if
// the response has one, and the runtime's conditions.
func (r *reconciler[P, S, C, D, R]) writeStatus(ctx context.Context, p *pass, response *Response[D, S], conditions []metav1.Condition, failed error) error {
	if r.definition.Status == nil {
		return nil
	}
	before := r.definition.Status(p.parent.(P))
	silent := response.Status == nil && response.Conditions == nil && failed == nil
	if silent && !r.showsPast(before) {
		return nil
	}
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
	if reflect.DeepEqual(before, after) {
		return nil
	}
	patch, err := statusPatch(p.parent.GetUID(), before, after)
	if err != nil || patch == nil || p.state.vain.again(before, patch) {
		return err
	}
	answer := r.parent.new()
	answer.SetName(p.parent.GetName())
	answer.SetNamespace(p.parent.GetNamespace())
	err = r.client.Status().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(r.manager))
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case outdated(err):
		return apply.ErrStale{Key: apply.Key{Kind: r.parent.GroupVersionKind, Name: client.ObjectKeyFromObject(p.parent)}}
	case err != nil:
		return err
	}
	p.state.vain = vainPatch{}
	if answer.GetResourceVersion() == p.parent.GetResourceVersion() {
		p.state.vain = vainPatch{before, patch}
	}
	p.wroteParent(answer)
	return nil
}

// outdated tells whether a JSON patch did not fit the object: it was made from
// an older state of it, or for another object of its name. The API server
// names the object only where it is the outcome that is invalid.
func outdated(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && (status.ErrStatus.Details == nil || status.ErrStatus.Details.Name == "")
}

// vainPatch is a patch that the API server took and that changed nothing: the
// CRD does not know a field, or has a default for one that is to be removed.
type vainPatch struct {
	before any // the status
	patch  []byte
}

func (v vainPatch) again(before any, patch []byte) bool {
	return bytes.Equal(v.patch, patch) && reflect.DeepEqual(v.before, before)
}

// showsPast tells whether a status shows an error of an earlier pass, or that
// the parent was suspended.
func (r *reconciler[P, S, C, D, R]) showsPast(status *S) bool {
	if r.definition.Conditions == nil {
		return false
	}
	shown := meta.FindStatusCondition(*r.definition.Conditions(status), ready)
	if meta.FindStatusCondition(*r.definition.Conditions(status), suspended) != nil {
		return true
	}
	return shown != nil && slices.Contains(errorReasons, shown.Reason)
}

// hasConverged tells whether a parent's status says that it is ready as it is.
func (r *reconciler[P, S, C, D, R]) hasConverged(parent client.Object) bool {
	if r.definition.Status == nil || r.definition.Conditions == nil {
		return false
	}
	return isReady(*r.definition.Conditions(r.definition.Status(parent.(P))), parent.GetGeneration())
}

// operation is one step of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// statusPatch returns the JSON patch between two statuses, nil when they mean
// the same. It changes whole fields of the status and leaves the others alone,
// and it is refused if the parent has been replaced by another of its name.
func statusPatch(parent types.UID, before, after any) ([]byte, error) {
	was, err := jsonFields(before)
	if err != nil {
		return nil, err
	}
	is, err := jsonFields(after)
	if err != nil {
		return nil, err
	}
	operations := []operation{{"test", "/metadata/uid", parent}}
	zero := func(status any) bool { return reflect.ValueOf(status).Elem().IsZero() }
	if first := zero(before) && !zero(after); first && len(is) > 0 { // fields may be written although they are zero
		operations = append(operations, operation{"add", "/status", is})
		return json.Marshal(operations)
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1")
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if !bytes.Equal(was[name], is[name]) {
			operations = append(operations, operation{"add", "/status/" + pointer.Replace(name), is[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; !ok {
			operations = append(operations, operation{"remove", "/status/" + pointer.Replace(name), nil})
		}
	}
	if len(operations) == 1 {
		return nil, nil
	}
	return json.Marshal(operations)
}

// jsonFields returns the JSON of each field that a status sets.
func jsonFields(status any) (map[string]json.RawMessage, error) {
	data, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, nil
}
