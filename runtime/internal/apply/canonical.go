package apply

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// systemMetadata are the fields of the metadata that only the API server sets.
var systemMetadata = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName", "generation",
	"managedFields", "resourceVersion", "selfLink", "uid",
}

// Canonical returns the fields that a typed object, an unstructured object or an apply
// configuration sets, as an apply sends them: without status, nulls, system metadata and the empty
// structs of Go types.
func Canonical(object any) (map[string]any, error) {
	content, err := fieldsOfObject(object)
	if err != nil {
		return nil, err
	}
	dropNulls(content)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, name := range systemMetadata {
			delete(metadata, name)
		}
	}
	return content, nil
}

// fieldsOfObject returns the fields that an object or an apply configuration sets.
func fieldsOfObject(object any) (map[string]any, error) {
	switch object := object.(type) {
	case *unstructured.Unstructured:
		return normalizeContent(convertViaJSON(object.Object)) // authors put Go types such as int and []string into it
	case runtime.ApplyConfiguration:
		return normalizeContent(convertViaJSON(object))
	default:
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		dropZeroStructs(reflect.ValueOf(object), content)
		return content, nil
	}
}

func normalizeContent(content map[string]any, err error) (map[string]any, error) {
	if err == nil {
		normalizeBuiltin(content)
	}
	return content, err
}

func convertViaJSON(object any) (map[string]any, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	return content, utiljson.Unmarshal(data, &content)
}

// dropZeroStructs removes the values of struct fields that nobody set, such as resources: {} and
// targetPort: 0, from content, which is the JSON form of v. It keeps an empty object behind a
// pointer, such as emptyDir: {}, which was set, and one that the type never omits, which may be
// required.
func dropZeroStructs(v reflect.Value, content any) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dropZeroStructs(v.Elem(), content)
		}
	case reflect.Slice:
		items, ok := content.([]any)
		for i := 0; ok && i < v.Len() && i < len(items); i++ {
			dropZeroStructs(v.Index(i), items[i])
		}
	case reflect.Map:
		values, ok := content.(map[string]any)
		if !ok || v.Type().Key().Kind() != reflect.String {
			return
		}
		for _, key := range v.MapKeys() {
			dropZeroStructs(v.MapIndex(key), values[key.String()])
		}
	case reflect.Struct:
		if values, ok := content.(map[string]any); ok {
			dropZeroFields(v, values)
		}
	}
}

func dropZeroFields(v reflect.Value, content map[string]any) {
	for _, field := range fieldsOfType(v.Type()) {
		if field.inline {
			dropZeroStructs(v.Field(field.index), content)
			continue
		}
		value, ok := content[field.name]
		if !ok {
			continue
		}
		dropZeroStructs(v.Field(field.index), value)
		if !field.droppable {
			continue
		}
		if object, isObject := value.(map[string]any); isObject && len(object) == 0 || v.Field(field.index).IsZero() {
			delete(content, field.name)
		}
	}
}

// goField is a field of a Go struct whose type may contain a struct.
type goField struct {
	index     int
	name      string
	inline    bool
	droppable bool // it is a struct that may be absent
}

var goFields sync.Map // reflect.Type → []goField

func fieldsOfType(t reflect.Type) []goField {
	if known, ok := goFields.Load(t); ok {
		return known.([]goField)
	}
	var fields []goField
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inline := name == "" && (field.Anonymous || strings.Contains(options, "inline"))
		if (name == "" || name == "-") && !inline || !holdsStruct(field.Type) {
			continue
		}
		fields = append(fields, goField{i, name, inline, field.Type.Kind() == reflect.Struct && isOptional(options)})
	}
	goFields.Store(t, fields)
	return fields
}

// holdsStruct reports whether a value of a type may contain a struct.
func holdsStruct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsStruct(t.Elem())
	}
	return false
}

// isOptional reports whether a field with these options of its json tag may be absent. Go omits no
// struct for omitempty, but controller-gen writes CRDs as if it did.
func isOptional(options string) bool {
	return strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
}

// dropNulls removes the fields that are null.
func dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if field == nil {
				delete(value, name)
				continue
			}
			dropNulls(field)
		}
	case []any:
		for _, item := range value {
			dropNulls(item)
		}
	}
}

// encodeStringData moves a Secret's write-only stringData to data, as the API server does. Keys of
// an applied stringData could never be removed.
func encodeStringData(content map[string]any) {
	plain, ok := content["stringData"].(map[string]any)
	if !ok {
		return
	}
	data, _ := content["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range plain {
		data[key] = base64.StdEncoding.EncodeToString(fmt.Append(nil, value))
	}
	content["data"] = data
	delete(content, "stringData")
}
