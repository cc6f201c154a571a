package diff

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Subset describes which fields that are set in expected are missing or different in got; see
// DiffSubset in package operatortest.
func Subset(expected, got client.Object) string {
	compared := comparison{partial: true}
	compared.compareValues("", setFields(expected), contentOfObject(got))
	return Describe(HideSecrets(compared.found, isSecret(expected) || isSecret(got)))
}

func isSecret(object client.Object) bool {
	if _, ok := object.(*corev1.Secret); ok {
		return true
	}
	kind := object.GetObjectKind().GroupVersionKind()
	return kind.Group == "" && kind.Kind == "Secret"
}

// contentOfObject returns an object as JSON values.
func contentOfObject(object client.Object) map[string]any {
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err) // no Kubernetes object has such a Go type
	}
	return values
}

// setFields returns an object as JSON values, without the fields that are not set.
func setFields(object client.Object) map[string]any {
	values := runtime.DeepCopyJSON(contentOfObject(object))
	if _, ok := object.(runtime.Unstructured); !ok {
		pruneUnset(reflect.ValueOf(object), values)
	}
	return values
}

// pruneUnset removes the zero values of a Go value from its JSON.
func pruneUnset(value reflect.Value, content any) {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch content := content.(type) {
	case map[string]any:
		if value.Kind() == reflect.Struct {
			pruneStruct(value, content)
		} else if value.Kind() == reflect.Map {
			for _, key := range value.MapKeys() {
				pruneUnset(value.MapIndex(key), content[key.String()])
			}
		}
	case []any:
		if value.Kind() == reflect.Slice && value.Len() == len(content) {
			for i, item := range content {
				pruneUnset(value.Index(i), item)
			}
		}
	}
}

func pruneStruct(value reflect.Value, content map[string]any) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && (field.Anonymous || slices.Contains(strings.Split(options, ","), "inline")):
			pruneUnset(value.Field(i), content)
		case value.Field(i).IsZero():
			delete(content, cmp.Or(name, field.Name))
		default:
			pruneUnset(value.Field(i), content[cmp.Or(name, field.Name)])
		}
	}
}
