package explore

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fieldsOf returns the paths of an entry of managedFields, in its format.
func fieldsOf(entry metav1.ManagedFieldsEntry) map[string]any {
	fields := map[string]any{}
	if entry.FieldsV1 != nil {
		_ = json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) // the API server has written it
	}
	return fields
}

// dropOthers removes from contents the fields of an object that the cluster's own controllers own.
func dropOthers(object *unstructured.Unstructured, manager string, contents ...map[string]any) {
	for _, entry := range object.GetManagedFields() {
		if slices.Contains([]string{manager, "ancient-changes", "before-first-apply"}, entry.Manager) || strings.Contains(entry.Manager, foreignPrefix) {
			continue
		}
		for _, content := range contents {
			dropOwned(content, fieldsOf(entry))
		}
	}
}

// dropOwned returns a value without the paths of fields.
func dropOwned(value any, fields map[string]any) any {
	for name, below := range fields {
		kind, key, _ := strings.Cut(name, ":")
		rest, _ := below.(map[string]any)
		_, isWhole := rest["."]
		isLeaf := len(rest) == 0 || isWhole && len(rest) == 1
		switch kind {
		case "f":
			if object, ok := value.(map[string]any); ok {
				dropField(object, key, rest, isLeaf)
			}
		case "k", "v":
			if list, ok := value.([]any); ok {
				value = dropItem(list, kind, key, rest, isLeaf)
			}
		}
	}
	return value
}

func dropField(object map[string]any, key string, below map[string]any, isLeaf bool) {
	if isLeaf {
		delete(object, key)
		return
	}
	if old, ok := object[key]; ok {
		object[key] = dropOwned(old, below)
	}
}

func dropItem(list []any, kind, key string, below map[string]any, isLeaf bool) []any {
	var named any
	if json.Unmarshal([]byte(key), &named) != nil {
		return list
	}
	at := step{value: named}
	if keys, ok := named.(map[string]any); ok && kind == "k" {
		at = step{keys: keys}
	}
	i := at.find(list)
	if i < 0 {
		return list
	}
	if isLeaf {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	list[i] = dropOwned(list[i], below)
	return list
}

// contentOf returns the content that clients write: an object without its status and its system
// metadata.
func contentOf(object *unstructured.Unstructured) map[string]any {
	content := deepCopy(object.Object).(map[string]any)
	delete(content, "status")
	delete(content, "apiVersion")
	delete(content, "kind")
	metadata, _ := content["metadata"].(map[string]any)
	kept := map[string]any{}
	for _, name := range []string{"labels", "annotations", "ownerReferences", "finalizers"} {
		if value, ok := metadata[name]; ok {
			kept[name] = value
		}
	}
	content["metadata"] = kept
	return content
}

func sameContent(a, b *unstructured.Unstructured) bool {
	return reflect.DeepEqual(contentOf(a), contentOf(b))
}
