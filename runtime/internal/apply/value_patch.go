package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
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
	if jsonpatch.DoesNotFit(err) || apierrors.IsNotFound(err) || needsApply(d, err) {
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
func needsApply(d Desired, refusal error) bool {
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
	d := c.desired
	if c.metadataOnly || !c.isAsCreated(live) {
		return nil, false
	}
	owned := c.readOwned(live)
	if c.mayDrop(owned) {
		return nil, false
	}
	content, err := owned.content()
	if err != nil {
		return nil, false
	}
	diff := valueDiff{builtin: clientgoscheme.Scheme.Recognizes(d.Kind)}
	possible := diff.diffValue("", parseFieldset(owned.entry), d.fieldsWithHash(), content)
	return diff.steps, possible && len(diff.steps) > 0
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
	steps   []jsonpatch.Operation
	builtin bool // the child's kind is one of Kubernetes' own
}

// diffValue compares a value, and reports false if operations on values are not enough.
func (v *valueDiff) diffValue(path string, set fieldset, desired, live any) bool {
	if isEmptyObject(desired) { // the live fields are defaults, or an atomic value of ours
		fields, ok := live.(map[string]any)
		return ok && (set != nil || len(fields) == 0)
	}
	switch desired := desired.(type) {
	case map[string]any:
		if set != nil {
			return v.diffFields(path, set, desired, live)
		}
	case []any:
		if set != nil {
			return v.diffItems(path, set, desired, live)
		}
	default:
		if set == nil && !equalValues(desired, live) {
			v.steps = append(v.steps, jsonpatch.Operation{Op: "replace", Path: path, Value: desired})
		}
		return set == nil
	}
	return equalValues(desired, live) || v.builtin && addsOnlyDefaults(live, desired)
}

// diffFields compares the fields of an object.
func (v *valueDiff) diffFields(path string, set fieldset, desired map[string]any, live any) bool {
	object, _ := live.(map[string]any)
	found := 0
	for _, step := range set {
		name := strings.TrimPrefix(step.name, "f:")
		value, isDesired := desired[name]
		if !isDesired {
			continue
		}
		now, exists := object[name]
		if !exists || !v.diffValue(path+"/"+jsonpatch.Escape(name), step.below, value, now) {
			return false
		}
		found++
	}
	return found == len(desired)
}

// diffItems compares the items of a list, which have to keep their order. The patch tests the keys
// of an item before it changes the item.
func (v *valueDiff) diffItems(path string, set fieldset, desired []any, live any) bool {
	items, _ := live.([]any)
	steps, desiredItems, liveItems := make([]*step, len(desired)), partsOf(desired), partsOf(items)
	for i := range set {
		if at := desiredItems.indexOf(set[i].name); at >= 0 {
			steps[at] = &set[i]
		}
	}
	last := -1
	for i, step := range steps {
		if step == nil {
			return false
		}
		at := liveItems.indexOf(step.name)
		if at <= last || !v.diffItem(path+"/"+strconv.Itoa(at), *step, desired[i], items[at]) {
			return false
		}
		last = at
	}
	return true
}

// diffItem compares an item of a list.
func (v *valueDiff) diffItem(path string, step step, desired, live any) bool {
	before := len(v.steps)
	if !v.diffValue(path, step.below, desired, live) {
		return false
	}
	if len(v.steps) == before {
		return true
	}
	keys, ok := parseListKeys(strings.TrimPrefix(step.name, "k:"))
	for _, key := range keys {
		v.steps = slices.Insert(v.steps, before, jsonpatch.Operation{Op: "test", Path: path + "/" + jsonpatch.Escape(key.name), Value: json.RawMessage(key.value)})
	}
	return ok
}
