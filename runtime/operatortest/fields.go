package operatortest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// difference is a field in which two values differ; absent is what a side lacks.
type difference struct {
	path          string
	expected, got any
}

type nothing struct{}

var absent = nothing{}

// comparison compares JSON values field by field.
type comparison struct {
	partial bool // what only the second has is no difference
	found   []difference
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
	if !equalValues(path, expected, got) {
		c.found = append(c.found, difference{path, expected, got})
	}
}

func (c *comparison) compareObjects(path string, expected, got map[string]any) {
	keys := maps.Clone(expected)
	if !c.partial {
		maps.Copy(keys, got)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c.compareValues(joinPath(path, key), lookUp(expected, key), lookUp(got, key))
	}
}

// compareLists compares items of the same key, or of the same index where they have
// none. A list of plain values has to be the same as a whole.
func (c *comparison) compareLists(path string, expected, got []any) {
	if !ofObjects(expected) || !ofObjects(got) {
		if !equalValues(path, expected, got) {
			c.found = append(c.found, difference{path, expected, got})
		}
		return
	}
	key := keyOf(expected, got)
	others := byKey(got, key)
	for i, item := range expected {
		name := itemName(item, i, key)
		other, ok := others[name]
		if !ok {
			other = absent
		}
		delete(others, name)
		c.compareValues(path+"["+name+"]", item, other)
	}
	if c.partial {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		c.compareValues(path+"["+name+"]", absent, others[name])
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

func ofObjects(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool {
		_, ok := item.(map[string]any)
		return !ok
	})
}

func lookUp(object map[string]any, key string) any {
	value, ok := object[key]
	if !ok {
		return absent
	}
	return value
}

// equalValues reports whether two values mean the same. Null and empty values equal an absent
// field.
func equalValues(path string, a, b any) bool {
	if isEmpty(a) && isEmpty(b) || reflect.DeepEqual(a, b) {
		return true
	}
	left, ok := a.(string)
	right, okay := b.(string)
	if ok && okay {
		return isQuantity(path) && sameQuantity(left, right)
	}
	return ok == okay && showValue(a) == showValue(b)
}

func isEmpty(value any) bool {
	if value == nil || value == absent {
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

// joinPath writes a path as people do; a key that is no word is quoted.
func joinPath(path, key string) string {
	if strings.ContainsAny(key, "./ ") {
		return fmt.Sprintf("%s[%q]", path, key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// describeDifferences writes one paragraph for each difference.
func describeDifferences(differences []difference) string {
	var text strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&text, "%s:\n", d.path)
		if d.expected != absent {
			fmt.Fprintf(&text, "  - %s\n", showValue(d.expected))
		}
		if d.got != absent {
			fmt.Fprintf(&text, "  + %s\n", showValue(d.got))
		}
	}
	return text.String()
}

func showValue(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
