package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The ways to write an object.
const (
	put              = "put"
	byMergePatch     = "merge patch"
	byStrategicPatch = "strategic patch"
	forcedApply      = "apply"
	sameManagerPut   = "put as the operator"
	sameApply        = "apply as the operator"
)

var ways = []string{put, byMergePatch, byStrategicPatch, forcedApply, sameManagerPut, sameApply}

// writer writes to children as another client.
type writer struct {
	client  client.Client
	manager string // the operator's
}

// fits reports whether a mutation of a kind can be written in this way.
func (m alteration) fits(way string, child *unstructured.Unstructured) bool {
	switch {
	case m.family == wipes || m.family == shares:
		return way == put
	case way == byStrategicPatch:
		return scheme.Scheme.Recognizes(child.GroupVersionKind())
	case way == forcedApply, way == sameApply:
		return (m.family == changes || m.family == extends || m.family == alters) && m.at[len(m.at)-1].keys == nil
	}
	return true
}

// errUseless says that the API server accepts none of the edits of a mutation.
type errUseless struct{ last error }

func (e errUseless) Error() string {
	if e.last == nil {
		return "it changes nothing"
	}
	return e.last.Error()
}

// write mutates a child, and returns the result. It tries the edits of the mutation until one is
// accepted and has an effect.
func (w writer) write(ctx context.Context, way string, m alteration, child *unstructured.Unstructured, s shape) (*unstructured.Unstructured, error) {
	if m.family == shares {
		return w.addSharedOwner(ctx, child)
	}
	var refused error
	for _, edit := range m.edits {
		written, err := w.tryWrite(ctx, way, m, edit, child, s)
		if err != nil && !isRefusal(err) {
			return nil, err
		}
		if err != nil {
			refused = err
			continue
		}
		if written != nil {
			return written, nil
		}
	}
	return nil, errUseless{refused}
}

func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || apierrors.IsInternalError(err)
}

// tryWrite makes one edit. It returns nil if the edit has no effect.
func (w writer) tryWrite(ctx context.Context, way string, m alteration, edit func(map[string]any) bool, child *unstructured.Unstructured, s shape) (*unstructured.Unstructured, error) {
	for {
		edited := child.DeepCopy()
		if !edit(edited.Object) {
			return nil, nil
		}
		if reflect.DeepEqual(edited.Object, child.Object) {
			return nil, nil
		}
		answer, err := w.sendWrite(ctx, way, m, child, edited, s)
		if apierrors.IsConflict(err) {
			child = child.DeepCopy()
			if err := w.client.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil || m.family != wipes && sameContent(answer, child) {
			return nil, err
		}
		return answer, nil
	}
}

func (w writer) sendWrite(ctx context.Context, way string, m alteration, child, edited *unstructured.Unstructured, s shape) (*unstructured.Unstructured, error) {
	answer := edited.DeepCopy()
	foreign := client.FieldOwner(foreignPrefix)
	switch way {
	case byMergePatch:
		body, err := json.Marshal(mergeOf(child.Object, edited.Object))
		if err != nil {
			return nil, err
		}
		return answer, w.client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, body), foreign)
	case byStrategicPatch:
		body, err := strategicOf(child, edited)
		if err != nil {
			return nil, err
		}
		return answer, w.client.Patch(ctx, answer, client.RawPatch(types.StrategicMergePatchType, body), foreign)
	case forcedApply, sameApply:
		if way == sameApply {
			foreign = client.FieldOwner(w.manager)
		}
		body, err := json.Marshal(appliedContent(m, child, edited, s))
		if err != nil {
			return nil, err
		}
		return answer, w.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), foreign, client.ForceOwnership)
	case sameManagerPut:
		foreign = client.FieldOwner(w.manager)
	}
	return answer, w.client.Update(ctx, answer, foreign)
}

// mergeOf returns the JSON merge patch from one object to another.
func mergeOf(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for key, old := range from {
		other, ok := to[key]
		if !ok {
			patch[key] = nil
			continue
		}
		object, isObject := old.(map[string]any)
		another, areObjects := other.(map[string]any)
		switch {
		case isObject && areObjects:
			if below := mergeOf(object, another); len(below) > 0 {
				patch[key] = below
			}
		case !reflect.DeepEqual(old, other):
			patch[key] = other
		}
	}
	for key, other := range to {
		if _, ok := from[key]; !ok {
			patch[key] = other
		}
	}
	return patch
}

func strategicOf(child, edited *unstructured.Unstructured) ([]byte, error) {
	typed, err := scheme.Scheme.New(child.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	from, err := json.Marshal(child.Object)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(edited.Object)
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(from, to, typed)
}

// appliedContent returns the smallest content of an apply that makes an edit.
func appliedContent(m alteration, child, edited *unstructured.Unstructured, s shape) map[string]any {
	body, _ := leastApplied(m.at, child.Object, edited.Object, s).(map[string]any)
	body["apiVersion"], body["kind"] = child.GetAPIVersion(), child.GetKind()
	metadata, _ := body["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["namespace"] = child.GetName(), child.GetNamespace()
	body["metadata"] = metadata
	return body
}

// leastApplied returns the smallest part of a value that makes the path below it as edited.
func leastApplied(at path, old, edited any, s shape) any {
	if len(at) == 0 {
		return addedItems(old, edited, s)
	}
	if s.isAtomic(edited) {
		return edited
	}
	below, _ := at[0].get(edited)
	before, _ := at[0].get(old)
	if at[0].field != "" {
		return map[string]any{at[0].field: leastApplied(at[1:], before, below, s.field(at[0].field))}
	}
	said := leastApplied(at[1:], before, below, s.items())
	if object, ok := said.(map[string]any); ok {
		for key, value := range at[0].keys {
			if _, has := object[key]; !has {
				object[key] = value
			}
		}
	}
	return []any{said}
}

// addedItems returns the additional entries of a map or a list, or any other value as a whole.
func addedItems(old, edited any, s shape) any {
	if s.isAtomic(edited) {
		return edited
	}
	switch edited := edited.(type) {
	case map[string]any:
		before, _ := old.(map[string]any)
		more := map[string]any{}
		for key, value := range edited {
			if _, has := before[key]; !has {
				more[key] = value
			}
		}
		return more
	case []any:
		before, _ := old.([]any)
		return edited[min(len(before), len(edited)-1):]
	}
	return edited
}

// writers is how many field managers share a child, which is more than managedFields holds.
const writers = 12

// addSharedOwner writes to a child as that many field managers.
func (w writer) addSharedOwner(ctx context.Context, child *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	answer := child.DeepCopy()
	for n := range writers {
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"%s/writer-%d":"%d"}}}`, foreignPrefix, n, n)
		manager := fmt.Sprintf("writer-%d.%s", n, foreignPrefix) // sorts after the operator's, which is so among the oldest
		if err := w.client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, body), client.FieldOwner(manager)); err != nil {
			return nil, err
		}
	}
	return answer, nil
}
