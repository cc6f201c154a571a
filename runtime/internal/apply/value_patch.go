package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// patchValues changes values of a child that was created and never applied, by a JSON patch. An
// apply would cost the API server more, and add a second entry to the managedFields that every
// event carries. If the patch does not fit the child any more, patchValues applies instead.
func (c *childApply) patchValues(ctx context.Context, live client.Object, steps []jsonpatch.Operation) (Outcome, error) {
	d := c.desired
	body, err := jsonpatch.For(live.GetUID(), append(ownershipTests(d.Owner, c.applier.Label, live), steps...)...)
	if err != nil {
		return Outcome{}, err
	}
	answer, err := c.client.patchChild(ctx, d.Name, types.JSONPatchType, body)
	if jsonpatch.DoesNotFit(err) || apierrors.IsNotFound(err) || d.needsApply(err) {
		return c.update(ctx, live)
	}
	outcome, err := c.client.outcomeOf(ctx, d, live, answer, err)
	if err != nil || outcome.Action == NeedsRecreation {
		return outcome, err
	}
	return outcome, c.recordPatched(answer)
}

// needsApply reports whether a patch of values was refused because of a field that is not desired,
// or because of another item of a list. Only an apply removes these.
func (d Desired) needsApply(refusal error) bool {
	return slices.ContainsFunc(refusedFields(refusal), func(field refusedField) bool {
		return field.duplicate || !isDesired(field.path, d.fields())
	})
}

// ownershipTests returns the operations that test whether a child still is its parent's. Another
// parent may have taken it since it was observed.
func ownershipTests(parent types.UID, label string, live client.Object) (tests []jsonpatch.Operation) {
	for i, ref := range live.GetOwnerReferences() {
		if ref.UID == parent {
			tests = append(tests, jsonpatch.Operation{Op: "test", Path: fmt.Sprintf("/metadata/ownerReferences/%d/uid", i), Value: ref.UID})
		}
	}
	if value, ok := live.GetLabels()[label]; ok {
		tests = append(tests, jsonpatch.Operation{Op: "test", Path: "/metadata/labels/" + jsonpatch.Escape(label), Value: value})
	}
	return tests
}

// valuePatch returns the operations that bring a child to its desired state. It reports false if
// these need more than other values for fields that we created and still own: a field that comes
// or goes, an item that moves, an atomic value, or a path that another manager owns.
func (c *childComparer) valuePatch(live client.Object) ([]jsonpatch.Operation, bool) {
	if c.metadataOnly || !c.isAsCreated(live) {
		return nil, false
	}
	owned, err := c.readOwned(live)
	if err != nil || c.mayDrop(owned) {
		return nil, false
	}
	diff := valueDiff{builtin: c.desired.isBuiltin(), order: map[*managedfields.Node][]int{}}
	d, names := c.desired, c.desired.CreatedAsKey
	if live.GetAnnotations()[names] != d.createdAs() { // it was made by an earlier release, or somebody has edited it
		d.CreatedAsKey = ""
	}
	managedfields.Rules{Enter: diff.enter, Leave: diff.leave}.Walk(owned.set, d.fieldsWithHash(), owned.content)
	isPossible := !diff.impossible && len(diff.steps) > 0
	if d.CreatedAsKey != names {
		path := "/metadata/annotations/" + jsonpatch.Escape(names)
		diff.steps = append(diff.steps, jsonpatch.Operation{Op: "add", Path: path, Value: d.createdAs()})
	}
	return diff.steps, isPossible
}

// isAsCreated reports whether managedFields holds nothing of this field manager but the entry of a
// create, in the API version that is desired.
func (c *childComparer) isAsCreated(live client.Object) bool {
	version := c.desired.Kind.GroupVersion().String()
	return !slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		own := entry.Manager == c.manager && entry.Subresource == ""
		return own && (entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.APIVersion != version)
	})
}

// valueDiff collects the operations that change values to the desired ones.
type valueDiff struct {
	patch
	builtin    bool                          // the child's kind is one of Kubernetes' own
	impossible bool                          // operations on values are not enough
	order      map[*managedfields.Node][]int // of each list: where the child has the desired items
}

// enter compares the values at a path.
func (v *valueDiff) enter(p *managedfields.Node) bool {
	if !p.Desired.Exists { // a default
		return false
	}
	if p.IsItem() {
		v.recordOrder(p)
	}
	desired, live := p.Desired.Value, p.Live.Value
	possible := p.Live.Exists
	switch {
	case isEmptyObject(desired): // the live fields are defaults, or an atomic value of ours
		fields, ok := live.(map[string]any)
		possible = ok && (p.Below != nil || len(fields) == 0)
	case p.Below != nil:
		v.impossible = v.impossible || !possible
		return possible
	case equalValues(desired, live):
	case isScalar(desired):
		v.add(p, "replace", desired)
	default:
		possible = v.builtin && addsOnlyDefaults(live, desired)
	}
	v.impossible = v.impossible || !possible
	return false
}

// leave looks for desired fields that we do not own, and for items in another order.
func (v *valueDiff) leave(p *managedfields.Node) {
	if len(p.Missing()) > 0 || !slices.IsSorted(v.order[p]) {
		v.impossible = true
	}
	delete(v.order, p)
}

// recordOrder records where the child has a desired item of a list.
func (v *valueDiff) recordOrder(item *managedfields.Node) {
	list := item.Parent
	if v.order[list] == nil {
		desired, _ := list.Desired.Value.([]any)
		v.order[list] = make([]int, len(desired))
	}
	v.order[list][item.Desired.Index] = item.Live.Index
}

func isScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
