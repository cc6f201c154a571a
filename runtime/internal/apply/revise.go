package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// revise changes values of a child that nothing was applied to since it was
// created. The child goes on as created: an apply would cost the API server more,
// and add a second entry to the managedFields that every event carries. An apply
// follows where the child has another shape by now, or is gone.
func (a *Applier) revise(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object, steps []jsonpatch.Operation) (Outcome, error) {
	body, err := jsonpatch.For(live.GetUID(), append(a.claimed(d, live), steps...)...)
	if err != nil {
		return Outcome{}, err
	}
	answer, err := a.send(ctx, d.Name, types.JSONPatchType, body)
	if jsonpatch.Unfit(err) || apierrors.IsNotFound(err) || isConflict(d, err) {
		return a.update(ctx, now, memo, d, live)
	}
	outcome, err := a.outcome(ctx, d, live, answer, err)
	if err != nil || outcome.Action == Replace {
		return outcome, err
	}
	return outcome, a.rememberPart(memo, d, answer)
}

// claimed are the steps by which the API server tests that a child is the parent's
// still: another parent may have taken it since it was observed.
func (a *Applier) claimed(d Desired, live client.Object) (tests []jsonpatch.Operation) {
	for i, ref := range live.GetOwnerReferences() {
		if ref.UID == d.Owner {
			tests = append(tests, jsonpatch.Operation{Op: "test", Path: fmt.Sprintf("/metadata/ownerReferences/%d/uid", i), Value: ref.UID})
		}
	}
	if value, ok := live.GetLabels()[a.Label]; ok {
		tests = append(tests, jsonpatch.Operation{Op: "test", Path: "/metadata/labels/" + jsonpatch.Escape(a.Label), Value: value})
	}
	return tests
}

// revision returns the steps from a child to its desired state, if these only
// give other values to fields that we have created, and own still. Whatever else
// is to change takes an apply: a field that comes or goes, an item that changes its
// place, an atomic value, a path that is somebody else's by now.
func (a *Applier) revision(memo *Memo, d Desired, live client.Object) ([]jsonpatch.Operation, bool) {
	if a.Metadata || !a.asCreated(d, live) {
		return nil, false
	}
	v := a.look(d, live)
	if v.mayDrop(memo, d) {
		return nil, false
	}
	content, err := v.content()
	if err != nil {
		return nil, false
	}
	r := revision{builtin: clientgoscheme.Scheme.Recognizes(d.Kind)}
	same := r.value("", fieldsOf(v.entry), d.stampedFields(), content)
	return r.steps, same && len(r.steps) > 0
}

// asCreated tells whether managedFields has nothing of us but what a plain create
// has left there, in the version in which the child is written now.
func (a *Applier) asCreated(d Desired, live client.Object) bool {
	return !slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		ours := entry.Manager == a.Manager && entry.Subresource == ""
		return ours && (entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.APIVersion != d.Kind.GroupVersion().String())
	})
}

// revision is a walk along what is desired.
type revision struct {
	steps   []jsonpatch.Operation
	builtin bool // the child's kind is one of Kubernetes' own
}

// value walks along a value, and reports false where steps do not do.
func (r *revision) value(path string, set fieldset, desired, live any) bool {
	if empty(desired) { // what is below are defaults, or an atomic value that we have set
		fields, ok := live.(map[string]any)
		return ok && (set != nil || len(fields) == 0)
	}
	switch desired := desired.(type) {
	case map[string]any:
		if set != nil {
			return r.fields(path, set, desired, live)
		}
	case []any:
		if set != nil {
			return r.items(path, set, desired, live)
		}
	default:
		if set == nil && !equal(desired, live) {
			r.steps = append(r.steps, jsonpatch.Operation{Op: "replace", Path: path, Value: desired})
		}
		return set == nil
	}
	return equal(desired, live) || r.builtin && completes(live, desired)
}

func (r *revision) fields(path string, set fieldset, desired map[string]any, live any) bool {
	object, _ := live.(map[string]any)
	found := 0
	for _, step := range set {
		name := strings.TrimPrefix(step.name, "f:")
		value, wanted := desired[name]
		if !wanted {
			continue
		}
		now, exists := object[name]
		if !exists || !r.value(path+"/"+jsonpatch.Escape(name), step.below, value, now) {
			return false
		}
		found++
	}
	return found == len(desired)
}

// items walks along a list. An item is changed at its place, where its keys are
// tested first; all items have to keep their order.
func (r *revision) items(path string, set fieldset, desired []any, live any) bool {
	items, _ := live.([]any)
	steps := make([]*step, len(desired))
	for i := range set {
		if at := place(desired, set[i].name); at >= 0 {
			steps[at] = &set[i]
		}
	}
	last := -1
	for i, step := range steps {
		if step == nil {
			return false
		}
		at := place(items, step.name)
		if at <= last || !r.item(path+"/"+strconv.Itoa(at), *step, desired[i], items[at]) {
			return false
		}
		last = at
	}
	return true
}

func (r *revision) item(path string, step step, desired, live any) bool {
	before := len(r.steps)
	if !r.value(path, step.below, desired, live) {
		return false
	}
	if len(r.steps) == before {
		return true
	}
	keys, ok := listKeys(strings.TrimPrefix(step.name, "k:"))
	for _, key := range keys {
		r.steps = slices.Insert(r.steps, before, jsonpatch.Operation{Op: "test", Path: path + "/" + jsonpatch.Escape(key.name), Value: json.RawMessage(key.value)})
	}
	return ok
}
