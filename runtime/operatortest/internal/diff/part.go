package diff

import (
	"reflect"
	"slices"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Part describes which fields that are set in an expected response are missing or different in
// another. Desired sets may have more children, and these more fields.
func Part(expected, got any) string {
	compared := comparison{partial: true}
	compared.partValues("", reflect.ValueOf(expected), reflect.ValueOf(got))
	return Describe(compared.found)
}

// partValues compares the fields of a Go value that are set.
func (c *comparison) partValues(path string, expected, got reflect.Value) {
	if expected.IsZero() {
		return
	}
	if expected.Kind() == reflect.Pointer && got.IsNil() {
		c.found = append(c.found, Difference{path, "set", nil})
		return
	}
	if expected.Kind() == reflect.Pointer {
		expected, got = expected.Elem(), got.Elem()
	}
	if set, ok := asSet(expected); ok {
		other, _ := asSet(got)
		c.partSets(path, set, other)
		return
	}
	if expected.Kind() == reflect.Struct && TakesApart(expected.Type()) {
		for i := range expected.NumField() {
			c.partValues(JoinPath(path, expected.Type().Field(i).Name), expected.Field(i), got.Field(i))
		}
		return
	}
	values := jsonFieldsOf(expected)
	pruneUnset(expected, values)
	c.compareValues(path, values, jsonFieldsOf(got))
}

// partSets compares the children that are expected, with the options that are, and requires that
// what is expected to be kept is kept.
func (c *comparison) partSets(path string, expected, got DesiredSet) {
	children, others := expected.Children(), got.Children()
	names := namesOf(others)
	for i, name := range namesOf(children) {
		at := slices.Index(names, name)
		if at < 0 {
			c.found = append(c.found, Difference{path + " " + name, partOfChild(children[i]), Absent})
			continue
		}
		c.compareValues(path+" "+name, partOfChild(children[i]), childValues(others[at]))
	}
	for _, name := range expected.Kept() {
		if !slices.Contains(got.Kept(), name) {
			c.found = append(c.found, Difference{path + " that are kept", name, Absent})
		}
	}
}

// partOfChild returns a child as JSON values, without the fields that are not set.
func partOfChild(child operator.DesiredChild) any {
	values := childValues(child)
	if child.Object != nil {
		pruneUnset(reflect.ValueOf(child.Object), values)
	}
	return values
}
