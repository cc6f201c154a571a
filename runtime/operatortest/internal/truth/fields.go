package truth

import (
	"bytes"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// fieldSets is what managedFields say about one value: which lists in it are maps or
// sets, which values are atomic, and which fields others than the operator own.
type fieldSets struct {
	all    *fieldpath.Set // nil: nothing is said
	others *fieldpath.Set
}

// fieldSetsOf reads the managedFields of a live child and of the same child in a dry
// run. The latter names each list that is desired, whatever became of the live one's.
func fieldSetsOf(live, normal *unstructured.Unstructured, manager string) fieldSets {
	sets := fieldSets{all: new(fieldpath.Set), others: new(fieldpath.Set)}
	for _, entry := range live.GetManagedFields() {
		fields := parseFields(entry)
		sets.all = sets.all.Union(fields)
		if entry.Manager != manager && !slices.Contains(nobody, entry.Manager) {
			sets.others = sets.others.Union(fields)
		}
	}
	if normal != nil {
		for _, entry := range normal.GetManagedFields() {
			sets.all = sets.all.Union(parseFields(entry))
		}
	}
	return sets
}

// nobody are the names under which the API server keeps fields whose managers it has
// lost sight of. The operator may be one of these.
var nobody = []string{"ancient-changes", "before-first-apply"}

func parseFields(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := new(fieldpath.Set)
	if entry.FieldsV1 == nil || set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())) != nil {
		return new(fieldpath.Set)
	}
	return set
}

// belowElement returns what is said about the value of an element.
func (s fieldSets) belowElement(element fieldpath.PathElement) fieldSets {
	return fieldSets{elementsBelow(s.all, element), elementsBelow(s.others, element)}
}

func elementsBelow(set *fieldpath.Set, element fieldpath.PathElement) *fieldpath.Set {
	if set == nil {
		return nil
	}
	below, _ := set.Children.Get(element)
	return below
}

// isAtomic reports whether an element has a value that is owned as a whole.
func (s fieldSets) isAtomic(element fieldpath.PathElement) bool {
	return s.all != nil && s.all.Members.Has(element) && elementsBelow(s.all, element) == nil
}

// isOthers reports whether others own an element or anything in it.
func (s fieldSets) isOthers(element fieldpath.PathElement) bool {
	return s.others != nil && (s.others.Members.Has(element) || elementsBelow(s.others, element) != nil)
}

// elements returns the elements below a value.
func (s fieldSets) elements() (elements []fieldpath.PathElement) {
	if s.all == nil {
		return nil
	}
	for element := range s.all.Members.All() {
		elements = append(elements, element)
	}
	for element := range s.all.Children.All() {
		elements = append(elements, element)
	}
	return elements
}

// keys returns the fields that tell the items of a list-map apart, nil for a list that
// is none. What managedFields do not say is taken from the items themselves.
func (s fieldSets) keys(atomic bool, lists ...any) []string {
	for _, element := range s.elements() {
		if element.Key != nil {
			var keys []string
			for _, field := range *element.Key {
				keys = append(keys, field.Name)
			}
			return keys
		}
	}
	if atomic || s.all != nil && !s.all.Empty() {
		return nil
	}
	var items [][]any
	for _, list := range lists {
		if list, ok := list.([]any); ok && len(list) > 0 {
			items = append(items, list)
		}
	}
	if len(items) == 0 || slices.ContainsFunc(items, func(list []any) bool { return !diff.OfObjects(list) }) {
		return nil
	}
	if key := diff.KeyOf(items...); key != "" {
		return []string{key}
	}
	return nil
}

// isSet reports whether a list is a set.
func (s fieldSets) isSet() bool {
	return slices.ContainsFunc(s.elements(), func(e fieldpath.PathElement) bool { return e.Value != nil })
}

// itemKeys are the keys of an item of a list-map, as far as they are set.
func itemKeys(item any, keys []string) map[string]any {
	fields, _ := item.(map[string]any)
	found := map[string]any{}
	for _, key := range keys {
		if value, ok := fields[key]; ok {
			found[key] = value
		}
	}
	return found
}

// itemElement is the path element of an item whose keys are all set.
func itemElement(keys map[string]any) fieldpath.PathElement {
	var fields value.FieldList
	for name, key := range keys {
		fields = append(fields, value.Field{Name: name, Value: value.NewValueInterface(key)})
	}
	fields.Sort()
	return fieldpath.PathElement{Key: &fields}
}

func setElement(item any) fieldpath.PathElement {
	return fieldpath.ValueElement(value.NewValueInterface(item))
}

// findItem returns the nth item of a list that has these keys, diff.Absent if there is none.
func findItem(list any, keys map[string]any, n int) any {
	items, _ := list.([]any)
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if !ok || !hasKeys(fields, keys) {
			continue
		}
		if n == 0 {
			return item
		}
		n--
	}
	return diff.Absent
}

func hasKeys(item, keys map[string]any) bool {
	for name, key := range keys {
		if diff.Show(item[name]) != diff.Show(key) {
			return false
		}
	}
	return true
}

// itemPath names an item of a list-map in a path.
func itemPath(path string, keys map[string]any, order []string) string {
	name := ""
	for _, key := range order {
		if value, ok := keys[key]; ok {
			name += "," + fmt.Sprint(value)
		}
	}
	if name == "" {
		name = ","
	}
	return path + "[" + name[1:] + "]"
}
