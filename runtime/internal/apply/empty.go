package apply

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// emptyObjects removes the fields that we applied below objects of a custom resource that are now
// desired without fields. The apply itself would leave null there, which the CRD's validation
// refuses.
func (c childClient) emptyObjects(ctx context.Context, d Desired, live client.Object) error {
	if isBuiltin(d) {
		return nil
	}
	content, err := contentOf(live)
	if err != nil {
		return err
	}
	var patch emptyingPatch
	patch.addObjects("", parseFieldset(managedEntry(live, c.manager, metav1.ManagedFieldsOperationApply, "")), d.fields(), content)
	if len(patch.steps) == 0 {
		return nil
	}
	body, err := jsonpatch.For(live.GetUID(), patch.steps...)
	if err != nil {
		return err
	}
	_, err = c.patchChild(ctx, d.Name, types.JSONPatchType, body)
	if jsonpatch.DoesNotFit(err) || apierrors.IsNotFound(err) {
		return errConflict{ErrStale{d.Key()}, err}
	}
	return err
}

// emptyingPatch collects the operations that empty objects.
type emptyingPatch struct{ steps []jsonpatch.Operation }

// addObjects adds the removal of the fields in a set below each object that is desired without
// fields.
func (e *emptyingPatch) addObjects(path string, set fieldset, desired, live any) {
	desiredParts, liveParts := partsOf(desired), partsOf(live)
	for _, step := range set {
		value, ok := desiredParts.follow(step.name)
		if !ok {
			continue
		}
		at, now, ok := liveParts.followTo(path, step.name)
		switch {
		case !ok:
		case !isEmptyObject(value):
			e.addItem(at, step, value, now)
		default:
			e.addRemovals(at, step.below, now)
		}
	}
}

// addItem adds the operations for a value. Those for an item of a list start with a test of its
// keys, because the item may have moved.
func (e *emptyingPatch) addItem(path string, step step, desired, live any) {
	before := len(e.steps)
	e.addObjects(path, step.below, desired, live)
	keys, isItem := strings.CutPrefix(step.name, "k:")
	if len(e.steps) == before || !isItem {
		return
	}
	known, _ := parseListKeys(keys)
	for _, key := range known {
		e.steps = slices.Insert(e.steps, before, jsonpatch.Operation{Op: "test", Path: path + "/" + jsonpatch.Escape(key.name), Value: json.RawMessage(key.value)})
	}
}

// addRemovals adds the removal of the fields of an object that are in a set.
func (e *emptyingPatch) addRemovals(path string, set fieldset, live any) {
	parts := partsOf(live)
	for _, step := range set {
		if at, _, ok := parts.followTo(path, step.name); ok {
			e.steps = append(e.steps, jsonpatch.Operation{Op: "remove", Path: at})
		}
	}
}

// followTo is follow, and also returns the JSON pointer of the part.
func (p *valueParts) followTo(path, step string) (string, any, bool) {
	below, ok := p.follow(step)
	if name, isField := strings.CutPrefix(step, "f:"); isField {
		return path + "/" + jsonpatch.Escape(name), below, ok
	}
	return path + "/" + strconv.Itoa(p.indexOf(step)), below, ok
}

// lacksObject reports whether an apply removed an object that is desired without fields, together
// with its fields. Another apply creates it again, with its defaults.
func (c *childComparer) lacksObject(answer client.Object) bool {
	owned := c.readOwned(answer)
	content, err := owned.content()
	return err == nil && lacksObject(owned.set, c.desired.fields(), content)
}

func lacksObject(set fieldset, desired, live any) bool {
	desiredParts, liveParts := partsOf(desired), partsOf(live)
	for _, step := range set {
		value, ok := desiredParts.follow(step.name)
		now, _ := liveParts.follow(step.name)
		if ok && (isEmptyObject(value) && now == nil || lacksObject(step.below, value, now)) {
			return true
		}
	}
	return false
}
