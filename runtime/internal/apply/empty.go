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

// emptyObjects removes what we have applied below an object of a custom resource that is
// desired without any field. The apply itself would leave null in its place, which the
// CRD's validation refuses.
func (a *Applier) emptyObjects(ctx context.Context, d Desired, live client.Object) error {
	if isBuiltin(d) {
		return nil
	}
	content, err := contentOf(live)
	if err != nil {
		return err
	}
	var e emptying
	e.value("", fieldsOf(entryOf(live, a.Manager, metav1.ManagedFieldsOperationApply, "")), d.fields(), content)
	if len(e.steps) == 0 {
		return nil
	}
	body, err := jsonpatch.For(live.GetUID(), e.steps...)
	if err != nil {
		return err
	}
	_, err = a.send(ctx, d.Name, types.JSONPatchType, body)
	if jsonpatch.Unfit(err) || apierrors.IsNotFound(err) {
		return errConflict{ErrStale{d.Key()}, err}
	}
	return err
}

// emptying is a walk along what we have applied.
type emptying struct{ steps []jsonpatch.Operation }

func (e *emptying) value(path string, set fieldset, desired, live any) {
	for _, step := range set {
		wanted, ok := descend(desired, step.name)
		if !ok {
			continue
		}
		at, now, ok := descendTo(path, live, step.name)
		switch {
		case !ok:
		case !empty(wanted):
			e.item(at, step, wanted, now)
		default:
			e.remove(at, step.below, now)
		}
	}
}

// item walks along a value. The keys of an item of a list are tested first: its place
// may be another's by now.
func (e *emptying) item(path string, step step, desired, live any) {
	before := len(e.steps)
	e.value(path, step.below, desired, live)
	keys, isItem := strings.CutPrefix(step.name, "k:")
	if len(e.steps) == before || !isItem {
		return
	}
	known, _ := listKeys(keys)
	for _, key := range known {
		e.steps = slices.Insert(e.steps, before, jsonpatch.Operation{Op: "test", Path: path + "/" + jsonpatch.Escape(key.name), Value: json.RawMessage(key.value)})
	}
}

// remove removes the fields of an object that are in a set.
func (e *emptying) remove(path string, set fieldset, live any) {
	for _, step := range set {
		if at, _, ok := descendTo(path, live, step.name); ok {
			e.steps = append(e.steps, jsonpatch.Operation{Op: "remove", Path: at})
		}
	}
}

// descendTo is descend, and returns the JSON pointer of what it comes to.
func descendTo(path string, value any, step string) (string, any, bool) {
	below, ok := descend(value, step)
	kind, name, _ := strings.Cut(step, ":")
	if kind == "f" {
		return path + "/" + jsonpatch.Escape(name), below, ok
	}
	items, _ := value.([]any)
	return path + "/" + strconv.Itoa(place(items, step)), below, ok
}

// lacksObject reports whether an apply has dropped an object, with all its fields, that
// is desired without any: it takes another apply to have it, and its defaults, back.
func (a *Applier) lacksObject(d Desired, answer client.Object) bool {
	v := a.look(d, answer)
	content, err := v.content()
	return err == nil && lacksObject(v.set, d.fields(), content)
}

func lacksObject(set fieldset, desired, live any) bool {
	for _, step := range set {
		wanted, ok := descend(desired, step.name)
		now, _ := descend(live, step.name)
		if ok && (empty(wanted) && now == nil || lacksObject(step.below, wanted, now)) {
			return true
		}
	}
	return false
}
