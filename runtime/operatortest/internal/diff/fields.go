package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Indent indents each line of a text.
func Indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// Difference is a field in which two values differ; Absent is what a side lacks.
type Difference struct {
	Path          string
	Expected, Got any
}

type nothing struct{}

// Absent is the value of a field that an object lacks.
var Absent = nothing{}

// JSON compares JSON values field by field.
func JSON(expected, got any) []Difference {
	var compared comparison
	compared.compareValues("", expected, got)
	return compared.found
}

// comparison collects the differences of JSON values.
type comparison struct {
	partial bool // what only the second has is no difference
	found   []Difference
}

func (c *comparison) compareValues(path string, expected, got any) {
	if object, ok := expected.(map[string]any); ok {
		if other, ok := got.(map[string]any); ok {
			c.compareObjects(path, object, other)
			return
		}
	}
	if list, ok := expected.([]any); ok {
		if other, ok := got.([]any); ok {
			c.compareLists(path, list, other)
			return
		}
	}
	if !EqualValues(path, expected, got) {
		c.found = append(c.found, Difference{path, expected, got})
	}
}

func (c *comparison) compareObjects(path string, expected, got map[string]any) {
	keys := maps.Clone(expected)
	if !c.partial {
		maps.Copy(keys, got)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c.compareValues(JoinPath(path, key), LookUp(expected, key), LookUp(got, key))
	}
}

// compareLists compares items of the same key, or of the same index where they have
// none. A list of plain values has to be the same as a whole.
func (c *comparison) compareLists(path string, expected, got []any) {
	if !ofObjects(expected) || !ofObjects(got) {
		if !EqualValues(path, expected, got) {
			c.found = append(c.found, Difference{path, expected, got})
		}
		return
	}
	key := keyOf(expected, got)
	others := byKey(got, key)
	for i, item := range expected {
		name := itemName(item, i, key)
		other, ok := others[name]
		if !ok {
			other = Absent
		}
		delete(others, name)
		c.compareValues(path+"["+name+"]", item, other)
	}
	if c.partial {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		c.compareValues(path+"["+name+"]", Absent, others[name])
	}
}

// listKeys are the fields that tell items of Kubernetes' lists apart.
var listKeys = []string{"name", "type", "key", "uid", "containerPort", "port", "mountPath", "devicePath", "ip"}

// keyOf returns the field whose values tell the items of both lists apart,
// empty if there is none.
func keyOf(lists ...[]any) string {
	for _, key := range listKeys {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !isKey(list, key) }) {
			return key
		}
	}
	return ""
}

func isKey(list []any, key string) bool {
	seen := map[string]bool{}
	for _, item := range list {
		value, ok := item.(map[string]any)[key]
		text := fmt.Sprint(value)
		if !ok || seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

func byKey(list []any, key string) map[string]any {
	items := map[string]any{}
	for i, item := range list {
		items[itemName(item, i, key)] = item
	}
	return items
}

func itemName(item any, index int, key string) string {
	if key == "" {
		return fmt.Sprint(index)
	}
	return fmt.Sprint(item.(map[string]any)[key])
}

// ofObjects reports whether each item of a list is an object.
func ofObjects(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool {
		_, ok := item.(map[string]any)
		return !ok
	})
}

// LookUp returns a field of an object, or Absent.
func LookUp(object map[string]any, key string) any {
	value, ok := object[key]
	if !ok {
		return Absent
	}
	return value
}

// EqualValues reports whether two values mean the same. Null and empty values equal an Absent
// field.
func EqualValues(path string, a, b any) bool {
	if isEmpty(a) && isEmpty(b) || reflect.DeepEqual(a, b) {
		return true
	}
	left, ok := a.(string)
	right, okay := b.(string)
	if ok && okay {
		return isQuantity(path) && sameQuantity(left, right)
	}
	return ok == okay && Show(a) == Show(b)
}

func isEmpty(value any) bool {
	if value == nil || value == Absent {
		return true
	}
	list, ok := value.([]any)
	return ok && len(list) == 0
}

func isQuantity(path string) bool {
	return slices.ContainsFunc([]string{".limits.", ".requests.", ".capacity.", ".hard.", ".sizeLimit"}, func(part string) bool {
		return strings.Contains(path+".", part)
	})
}

func sameQuantity(a, b string) bool {
	left, err := resource.ParseQuantity(a)
	if err != nil {
		return false
	}
	right, err := resource.ParseQuantity(b)
	return err == nil && left.Cmp(right) == 0
}

// JoinPath writes a path as people do; a key that is no word is quoted.
func JoinPath(path, key string) string {
	if strings.ContainsAny(key, "./ ") {
		return fmt.Sprintf("%s[%q]", path, key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Describe writes one paragraph for each difference.
func Describe(differences []Difference) string {
	var text strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&text, "%s:\n", d.Path)
		if d.Expected != Absent {
			fmt.Fprintf(&text, "  - %s\n", Show(d.Expected))
		}
		if d.Got != Absent {
			fmt.Fprintf(&text, "  + %s\n", Show(d.Got))
		}
	}
	return text.String()
}

// Show returns a value as JSON.
func Show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
