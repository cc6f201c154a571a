package simulation

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// contentOf returns an object as JSON values of its own.
func contentOf(object client.Object) map[string]any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.DeepCopyObject())
	if err != nil {
		panic(err) // no Kubernetes object has such a Go type
	}
	return content
}

// desiredContent returns what is desired of a child as JSON values, without what the API server sets.
func desiredContent(desired declared.DesiredChild) (map[string]any, error) {
	content := map[string]any{}
	if desired.Configuration == nil {
		content = contentOf(desired.Object)
	} else {
		data, err := json.Marshal(desired.Configuration)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &content); err != nil {
			return nil, err
		}
	}
	delete(content, "status")
	for _, field := range []string{"uid", "generation", "resourceVersion", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(content, "metadata", field)
	}
	return content, nil
}

// objectFrom returns an object of the Go type of another one.
func objectFrom(content map[string]any, like client.Object) (client.Object, error) {
	object := reflect.New(reflect.TypeOf(like).Elem()).Interface().(client.Object)
	if dynamic, ok := object.(*unstructured.Unstructured); ok {
		dynamic.Object = runtime.DeepCopyJSON(content)
		if dynamic.GetKind() == "" {
			dynamic.SetGroupVersionKind(like.GetObjectKind().GroupVersionKind())
		}
		return dynamic, nil
	}
	return object, runtime.DefaultUnstructuredConverter.FromUnstructured(content, object)
}

// newObject returns an object that the API server has created.
func (w *World) newObject(content map[string]any, like client.Object) client.Object {
	object, err := objectFrom(content, like)
	if err != nil {
		panic(err) // the content comes from an object of this type
	}
	w.made++
	object.SetNamespace(w.nameOf(object).Namespace)
	object.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", w.made)))
	object.SetCreationTimestamp(metav1.NewTime(w.Now))
	object.SetGeneration(1)
	return object
}

// mergeContents returns a live object with what is desired of it. A field that was desired and is so
// no longer is removed. Lists of Kubernetes' own types are merged by their keys, and others are
// replaced, as kubectl apply does on the client's side.
func mergeContents(live client.Object, before, now map[string]any) (client.Object, error) {
	original, modified, current := encode(before), encode(now), encode(contentOf(live))
	if _, isDynamic := live.(runtime.Unstructured); isDynamic {
		return mergeDynamic(live, original, modified, current)
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(live)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(original, modified, current, meta, true)
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergePatchUsingLookupPatchMeta(current, patch, meta)
	if err != nil {
		return nil, err
	}
	return decodeAs(merged, live)
}

func decodeAs(data []byte, like client.Object) (client.Object, error) {
	content := map[string]any{}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	return objectFrom(content, like)
}

func encode(content map[string]any) []byte {
	data, err := json.Marshal(content)
	if err != nil {
		panic(err) // these are JSON values
	}
	return data
}

// isSameSpec reports whether two contents differ in nothing but their metadata and status.
func isSameSpec(a, b map[string]any) bool {
	return reflect.DeepEqual(specOf(a), specOf(b))
}

func specOf(content map[string]any) map[string]any {
	spec := map[string]any{}
	for name, value := range content {
		switch name {
		case "metadata", "status", "apiVersion", "kind":
		default:
			spec[name] = value
		}
	}
	return spec
}

// assign copies an object into another of its Go type.
func assign(to, from client.Object) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}

// changedInPlace returns what was applied with the labels and annotations of the desired content that are
// applied in place.
func changedInPlace(applied, desired map[string]any, inPlace apply.PathsInPlace) map[string]any {
	changed := runtime.DeepCopyJSON(inPlace.Without(applied))
	for _, part := range []string{"labels", "annotations"} {
		texts, _, _ := unstructured.NestedStringMap(desired, "metadata", part)
		for key, text := range texts {
			if inPlace.Has(part, key) {
				_ = unstructured.SetNestedField(changed, text, "metadata", part, key) // each is a map
			}
		}
	}
	return changed
}
