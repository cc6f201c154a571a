// Package objectfields reads fields of objects by paths of their JSON names, such
// as ".spec.configMapName", in Go structs as well as in unstructured content.
package objectfields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Names returns the names of a path of fields. A dot in a name is written as \. as in
// .metadata.labels.example\.com/owner.
func Names(path string) []string {
	const dot = "\x00"
	names := strings.Split(strings.TrimPrefix(strings.ReplaceAll(path, `\.`, dot), "."), ".")
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, dot, ".")
	}
	return names
}

// Text returns the value at a path as a text: a string, a number, true or false. It returns an empty
// text for a field that is not set.
func Text(object any, path string) (string, error) {
	value, ok := valueAt(object, path)
	if !ok {
		return "", nil
	}
	if value.Kind() == reflect.String {
		return value.String(), nil
	}
	data, err := json.Marshal(value.Interface())
	if err != nil {
		return "", err
	}
	if text := ""; json.Unmarshal(data, &text) == nil {
		return text, nil
	}
	if strings.ContainsAny(string(data[:1]), "{[") {
		return "", newTypeError(path, "a string, a number, true or false")
	}
	return string(data), nil
}

// Strings returns the string, or the strings of the list, at a path. It leaves out empty strings,
// and returns none for a field that is not set.
func Strings(object any, path string) ([]string, error) {
	value, ok := valueAt(object, path)
	if !ok {
		return nil, nil
	}
	switch value.Kind() {
	case reflect.String:
		return nonEmpty(value.String()), nil
	case reflect.Slice:
		var texts []string
		for i := range value.Len() {
			item, ok := followPointers(value.Index(i))
			if ok && item.Kind() != reflect.String {
				return nil, newTypeError(path, "a list of strings")
			}
			if ok {
				texts = append(texts, nonEmpty(item.String())...)
			}
		}
		return texts, nil
	}
	return nil, newTypeError(path, "a string or a list of strings")
}

// Selector returns the label selector at a path, which holds a LabelSelector or a map of labels. It
// returns nil for a field that is not set.
func Selector(object any, path string) (*metav1.LabelSelector, error) {
	value, ok := valueAt(object, path)
	if !ok || value.Kind() == reflect.Map && value.IsNil() {
		return nil, nil
	}
	switch found := value.Interface().(type) {
	case metav1.LabelSelector:
		return &found, nil
	case map[string]string:
		return &metav1.LabelSelector{MatchLabels: found}, nil
	}
	data, err := json.Marshal(value.Interface())
	if err != nil {
		return nil, err
	}
	if selector := new(metav1.LabelSelector); decodeStrictly(data, selector) == nil {
		return selector, nil
	}
	matching := map[string]string{}
	if json.Unmarshal(data, &matching) != nil {
		return nil, newTypeError(path, "a label selector or a map of labels")
	}
	return &metav1.LabelSelector{MatchLabels: matching}, nil
}

// decodeStrictly decodes JSON, and returns an error for an unknown field.
func decodeStrictly(data []byte, into any) error {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// newTypeError returns the error for a field of another type.
func newTypeError(path, expected string) error {
	return fmt.Errorf("%s is not %s", path, expected)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// valueAt returns the value at a path. It reports false if a field of the path is not set.
func valueAt(object any, path string) (reflect.Value, bool) { return walk(object, path, false) }

// writtenAt is valueAt for what the JSON of an object has. It reports false for a field, too, that its
// tag leaves out because it is empty or zero.
func writtenAt(object any, path string) (reflect.Value, bool) { return walk(object, path, true) }

func walk(object any, path string, skipsOmitted bool) (reflect.Value, bool) {
	if u, ok := object.(runtime.Unstructured); ok {
		object = u.UnstructuredContent()
	}
	value, ok := followPointers(reflect.ValueOf(object))
	for _, name := range Names(path) {
		if !ok {
			return value, false
		}
		switch value.Kind() {
		case reflect.Struct:
			var options string
			value, options, ok = fieldByName(value, name)
			ok = ok && (!skipsOmitted || !isOmitted(value, options))
		case reflect.Map:
			value = value.MapIndex(reflect.ValueOf(name).Convert(value.Type().Key()))
			ok = value.IsValid()
		default:
			return value, false
		}
		if ok {
			value, ok = followPointers(value)
		}
	}
	return value, ok
}

// followPointers returns the value behind pointers and interfaces. It reports false if one is nil.
func followPointers(value reflect.Value) (reflect.Value, bool) {
	for value.IsValid() && (value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface) {
		if value.IsNil() {
			return value, false
		}
		value = value.Elem()
	}
	return value, value.IsValid()
}

// fieldByName returns the field of a struct, or of a struct that it embeds, that has a JSON name, and the
// options of its tag.
func fieldByName(value reflect.Value, name string) (field reflect.Value, options string, ok bool) {
	for i := range value.NumField() {
		described := value.Type().Field(i)
		key, options, _ := strings.Cut(described.Tag.Get("json"), ",")
		if key == name {
			return value.Field(i), options, true
		}
		if key == "" && (described.Anonymous || strings.Contains(options, "inline")) {
			if embedded, ok := followPointers(value.Field(i)); ok && embedded.Kind() == reflect.Struct {
				if found, options, ok := fieldByName(embedded, name); ok {
					return found, options, true
				}
			}
		}
	}
	return reflect.Value{}, "", false
}

// isOmitted reports whether the options of a JSON tag leave out a field that has a value.
func isOmitted(value reflect.Value, options string) bool {
	all := strings.Split(options, ",")
	switch {
	case slices.Contains(all, "omitzero"):
		if own, ok := value.Interface().(interface{ IsZero() bool }); ok {
			return own.IsZero()
		}
		return value.IsZero()
	case slices.Contains(all, "omitempty"):
		switch value.Kind() {
		case reflect.Struct, reflect.Array:
			return false
		case reflect.Map, reflect.Slice:
			return value.Len() == 0
		}
		return value.IsZero()
	}
	return false
}
