// Package fieldpath reads fields of objects by paths of their JSON names, such
// as ".spec.configMapName", in Go structs as well as in unstructured content.
package fieldpath

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Strings returns the string, or the list of them, at a path. A field that is
// not set yields none, and neither do empty strings.
func Strings(object any, path string) ([]string, error) {
	value, ok := at(object, path)
	if !ok {
		return nil, nil
	}
	switch value.Kind() {
	case reflect.String:
		return nonEmpty(value.String()), nil
	case reflect.Slice:
		var texts []string
		for i := range value.Len() {
			item, ok := deref(value.Index(i))
			if ok && item.Kind() != reflect.String {
				return nil, wrong(path, "a list of strings")
			}
			if ok {
				texts = append(texts, nonEmpty(item.String())...)
			}
		}
		return texts, nil
	}
	return nil, wrong(path, "a string or a list of strings")
}

// Selector returns the label selector at a path: a LabelSelector, or a map of
// labels that have to match. A field that is not set yields nil.
func Selector(object any, path string) (*metav1.LabelSelector, error) {
	value, ok := at(object, path)
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
	if selector := new(metav1.LabelSelector); strictly(data, selector) == nil {
		return selector, nil
	}
	matching := map[string]string{}
	if json.Unmarshal(data, &matching) != nil {
		return nil, wrong(path, "a label selector or a map of labels")
	}
	return &metav1.LabelSelector{MatchLabels: matching}, nil
}

func strictly(data []byte, into any) error {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func wrong(path, expected string) error {
	return fmt.Errorf("%s of the parent is not %s", path, expected)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// at returns the value at a path, false if a field on the way is not set.
func at(object any, path string) (reflect.Value, bool) {
	if u, ok := object.(runtime.Unstructured); ok {
		object = u.UnstructuredContent()
	}
	value, ok := deref(reflect.ValueOf(object))
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if !ok {
			return value, false
		}
		switch value.Kind() {
		case reflect.Struct:
			value, ok = field(value, name)
		case reflect.Map:
			value = value.MapIndex(reflect.ValueOf(name).Convert(value.Type().Key()))
			ok = value.IsValid()
		default:
			return value, false
		}
		if ok {
			value, ok = deref(value)
		}
	}
	return value, ok
}

// deref follows pointers and interfaces; false where one is nil.
func deref(value reflect.Value) (reflect.Value, bool) {
	for value.IsValid() && (value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface) {
		if value.IsNil() {
			return value, false
		}
		value = value.Elem()
	}
	return value, value.IsValid()
}

// field returns the field of a struct that has a JSON name, its own or that of a
// struct that it embeds.
func field(value reflect.Value, name string) (reflect.Value, bool) {
	for i := range value.NumField() {
		described := value.Type().Field(i)
		key, options, _ := strings.Cut(described.Tag.Get("json"), ",")
		if key == name {
			return value.Field(i), true
		}
		if key == "" && (described.Anonymous || strings.Contains(options, "inline")) {
			if embedded, ok := deref(value.Field(i)); ok && embedded.Kind() == reflect.Struct {
				if found, ok := field(embedded, name); ok {
					return found, true
				}
			}
		}
	}
	return reflect.Value{}, false
}
