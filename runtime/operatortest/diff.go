package operatortest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Diff describes the fields in which two responses, desired sets or Kubernetes objects differ,
// under the names of their children. It is empty if they mean the same. Of two states it compares
// the objects; see [State].
func Diff(expected, got any) string {
	if state, ok := expected.(State); ok {
		if other, ok := got.(State); ok {
			return state.diffTo(other)
		}
	}
	left, right := reflect.ValueOf(expected), reflect.ValueOf(got)
	if !left.IsValid() || !right.IsValid() || left.Type() != right.Type() || reflect.Indirect(left).Kind() != reflect.Struct && reflect.Indirect(right).Kind() != reflect.Struct {
		return cmp.Diff(expected, got, cmpopts.EquateEmpty())
	}
	return describeDifferences(comparedFields(expected, got))
}

// comparedFields returns the differences between two values of one Go type.
func comparedFields(expected, got any) []difference {
	var compared comparison
	compared.goValues("", reflect.ValueOf(expected), reflect.ValueOf(got))
	return compared.found
}

// desiredSet is any operator.DesiredSet.
type desiredSet interface {
	Children() []operator.DesiredChild
	Kept() []string
}

// goValues compares two values of one Go type. It compares responses, and structs of desired sets,
// field by field, and everything else as JSON.
func (c *comparison) goValues(path string, expected, got reflect.Value) {
	if expected.Kind() == reflect.Pointer {
		if expected.IsNil() || got.IsNil() {
			if expected.IsNil() != got.IsNil() {
				c.found = append(c.found, difference{path, valueOrNil(expected), valueOrNil(got)})
			}
			return
		}
		if _, ok := expected.Interface().(runtime.Object); ok {
			c.compareValues(path, jsonFieldsOf(expected), jsonFieldsOf(got))
			return
		}
		c.goValues(path, expected.Elem(), got.Elem())
		return
	}
	if set, ok := expected.Interface().(desiredSet); ok {
		c.compareSets(path, set, got.Interface().(desiredSet))
		return
	}
	if expected.Kind() != reflect.Struct || !takesApart(expected.Type()) {
		c.compareValues(path, jsonFieldsOf(expected), jsonFieldsOf(got))
		return
	}
	for i := range expected.NumField() {
		c.goValues(joinPath(path, expected.Type().Field(i).Name), expected.Field(i), got.Field(i))
	}
}

// takesApart reports whether the fields of a struct are compared one by one: it is a response, or
// has desired sets.
func takesApart(of reflect.Type) bool {
	sets := reflect.TypeFor[desiredSet]()
	for i := range of.NumField() {
		field := of.Field(i)
		if !field.IsExported() {
			return false
		}
		if field.Type.Implements(sets) || field.Name == "Children" && field.Type.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// compareSets compares desired children by name, and then their order, in which they are created.
func (c *comparison) compareSets(path string, expected, got desiredSet) {
	expectedChildren, gotChildren := expected.Children(), got.Children()
	names, others := namesOf(expectedChildren), namesOf(gotChildren)
	for i, name := range names {
		if at := slices.Index(others, name); at >= 0 {
			c.compareValues(path+" "+name, childValues(expectedChildren[i]), childValues(gotChildren[at]))
			continue
		}
		c.compareValues(path+" "+name, childValues(expectedChildren[i]), absent)
	}
	for i, name := range others {
		if !slices.Contains(names, name) {
			c.compareValues(path+" "+name, absent, childValues(gotChildren[i]))
		}
	}
	if slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(others))) && !slices.Equal(names, others) {
		c.found = append(c.found, difference{path + " in this order", names, others})
	}
	c.compareValues(path+" that are kept", jsonOf(expected.Kept()), jsonOf(got.Kept()))
}

// namesOf returns the names of the children of a set. A name that occurs twice is numbered.
func namesOf(children []operator.DesiredChild) []string {
	var names []string
	for _, child := range children {
		metadata, _ := childValues(child)["metadata"].(map[string]any)
		name := fmt.Sprint(metadata["name"])
		if namespace, ok := metadata["namespace"]; ok {
			name = fmt.Sprint(namespace, "/", name)
		}
		unique := name
		for n := 2; slices.Contains(names, unique); n++ {
			unique = fmt.Sprintf("%s (%d)", name, n)
		}
		names = append(names, unique)
	}
	return names
}

// childValues returns a child as JSON values, with its options.
func childValues(child operator.DesiredChild) map[string]any {
	content, options := map[string]any{}, map[string]any{}
	fields := reflect.ValueOf(child)
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Name
		switch {
		case field.IsZero() || name == "WhenApplied": // its effect shows in the response
		case name == "Object" || name == "Configuration":
			content, _ = jsonOf(field.Interface()).(map[string]any)
		default:
			options[name] = optionValue(field.Interface())
		}
	}
	if len(options) > 0 {
		content["(options)"] = options
	}
	return content
}

// optionValue shows an option; of objects it takes their names.
func optionValue(option any) any {
	objects, ok := jsonOf(option).([]any)
	if !ok {
		return jsonOf(option)
	}
	for i, object := range objects {
		if content, ok := object.(map[string]any); ok {
			objects[i], _ = content["metadata"].(map[string]any)["name"].(string)
		}
	}
	return objects
}

func jsonFieldsOf(of reflect.Value) any { return jsonOf(of.Interface()) }

func valueOrNil(of reflect.Value) any {
	if of.IsNil() {
		return nil
	}
	if content, ok := jsonFieldsOf(of).(map[string]any); ok && len(content) > 0 && !takesApart(of.Elem().Type()) {
		return content
	}
	return "set"
}

// jsonOf is a value as JSON values; one that JSON cannot hold is written as text.
func jsonOf(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%+v", value)
	}
	var content any
	if json.Unmarshal(data, &content) != nil {
		return string(data)
	}
	return content
}
