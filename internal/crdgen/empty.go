package crdgen

import (
	"reflect"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// keepEmpty adds the lists and maps of a value that are empty but not nil to its JSON, such as
// properties: {} and shortNames: []. The API server's types leave them out, but a CRD that was
// imported with them must come out the same.
func keepEmpty(value reflect.Value, encoded any) {
	switch at := value.Interface().(type) {
	case apiextv1.JSON:
		return // any value, as the spec file has it
	case apiextv1.JSONSchemaPropsOrArray:
		value = reflect.ValueOf(at.Schema) // JSON has the schema itself
	case apiextv1.JSONSchemaPropsOrBool:
		value = reflect.ValueOf(at.Schema)
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			keepEmpty(value.Elem(), encoded)
		}
	case reflect.Struct:
		if object, isObject := encoded.(map[string]any); isObject {
			keepEmptyFields(value, object)
		}
	case reflect.Map:
		object, _ := encoded.(map[string]any)
		for _, key := range value.MapKeys() {
			keepEmpty(value.MapIndex(key), object[key.String()])
		}
	case reflect.Slice:
		items, _ := encoded.([]any)
		for i := range items {
			keepEmpty(value.Index(i), items[i])
		}
	}
}

// keepEmptyFields is keepEmpty for the fields of a struct.
func keepEmptyFields(value reflect.Value, object map[string]any) {
	for i := range value.NumField() {
		field := value.Field(i)
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		switch isEmpty := (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && !field.IsNil() && field.Len() == 0; {
		case name == "-" || !field.CanInterface():
		case name == "":
			keepEmpty(field, object) // its fields are those of the object
		case isEmpty && field.Kind() == reflect.Slice:
			object[name] = []any{}
		case isEmpty:
			object[name] = map[string]any{}
		default:
			keepEmpty(field, object[name])
		}
	}
}
