package diff

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// DescribeValues describes the fields in which two responses, desired sets or Kubernetes objects differ,
// under the names of their children. It is empty if they mean the same.
func DescribeValues(expected, got any) string {
	left, right := reflect.ValueOf(expected), reflect.ValueOf(got)
	if !left.IsValid() || !right.IsValid() || left.Type() != right.Type() || reflect.Indirect(left).Kind() != reflect.Struct && reflect.Indirect(right).Kind() != reflect.Struct {
		return cmp.Diff(expected, got, cmpopts.EquateEmpty())
	}
	return Describe(Values(expected, got))
}

// Values returns the differences between two values of one Go type.
func Values(expected, got any) []Difference {
	var compared comparison
	compared.goValues("", reflect.ValueOf(expected), reflect.ValueOf(got))
	return compared.found
}

// DesiredSet is any operator.DesiredSet.
type DesiredSet interface {
	Children() []operator.DesiredChild
	Kept() []string
}

// goValues compares two values of one Go type. It compares responses, and structs of desired sets,
// field by field, and everything else as JSON.
func (c *comparison) goValues(path string, expected, got reflect.Value) {
	if expected.Kind() == reflect.Pointer {
		if expected.IsNil() || got.IsNil() {
			if expected.IsNil() != got.IsNil() {
				c.found = append(c.found, Difference{path, valueOrNil(expected), valueOrNil(got)})
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
	if set, ok := asSet(expected); ok {
		other, _ := asSet(got)
		c.compareSets(path, set, other)
		return
	}
	if expected.Kind() != reflect.Struct || !TakesApart(expected.Type()) {
		c.compareValues(path, jsonFieldsOf(expected), jsonFieldsOf(got))
		return
	}
	for i := range expected.NumField() {
		c.goValues(JoinPath(path, expected.Type().Field(i).Name), expected.Field(i), got.Field(i))
	}
}

// TakesApart reports whether the fields of a struct are compared one by one: it is a response, or
// has desired sets or sets of patches.
func TakesApart(of reflect.Type) bool {
	sets, patches := reflect.TypeFor[DesiredSet](), reflect.TypeFor[patchSet]()
	for i := range of.NumField() {
		field := of.Field(i)
		if !field.IsExported() {
			return false
		}
		hasPatches := field.Name == "Patches" && field.Type.Kind() == reflect.Struct && TakesApart(field.Type)
		if field.Type.Implements(sets) || field.Type.Implements(patches) || hasPatches || field.Name == "Children" && field.Type.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// compareSets compares desired children by name, and then their order, in which they are created.
func (c *comparison) compareSets(path string, expected, got DesiredSet) {
	expectedChildren, gotChildren := expected.Children(), got.Children()
	names, others := namesOf(expectedChildren), namesOf(gotChildren)
	for i, name := range names {
		if at := slices.Index(others, name); at >= 0 {
			c.compareValues(path+" "+name, childValues(expectedChildren[i]), childValues(gotChildren[at]))
			continue
		}
		c.compareValues(path+" "+name, childValues(expectedChildren[i]), Absent)
	}
	for i, name := range others {
		if !slices.Contains(names, name) {
			c.compareValues(path+" "+name, Absent, childValues(gotChildren[i]))
		}
	}
	if slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(others))) && !slices.Equal(names, others) {
		c.found = append(c.found, Difference{path + " in this order", names, others})
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
	for _, declared := range reflect.VisibleFields(reflect.TypeOf(child)) {
		field, name := reflect.ValueOf(child).FieldByIndex(declared.Index), declared.Name
		switch {
		case declared.Anonymous || field.IsZero() || name == "WhenApplied": // its effect shows in the response
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

// optionValue shows an option; of Kubernetes objects it takes their names.
func optionValue(option any) any {
	objects, ok := jsonOf(option).([]any)
	if !ok {
		return jsonOf(option)
	}
	for i, object := range objects {
		content, _ := object.(map[string]any)
		if metadata, ok := content["metadata"].(map[string]any); ok {
			objects[i], _ = metadata["name"].(string)
		}
	}
	return objects
}

func jsonFieldsOf(of reflect.Value) any { return jsonOf(of.Interface()) }

func valueOrNil(of reflect.Value) any {
	if of.IsNil() {
		return nil
	}
	if content, ok := jsonFieldsOf(of).(map[string]any); ok && len(content) > 0 && !TakesApart(of.Elem().Type()) {
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

// AnswersDiffer names the fields in which two answers of Sync, or two objects, differ.
func AnswersDiffer(first, second any) string {
	differences := Values(first, second)
	if len(differences) == 0 {
		return ""
	}
	var paths []string
	for _, d := range differences {
		paths = append(paths, strings.TrimSpace(d.Path))
	}
	const most = 10
	if len(paths) > most {
		paths = append(paths[:most], fmt.Sprintf("and %d more", len(paths)-most))
	}
	return "its answers differ in " + strings.Join(paths, ", ")
}
