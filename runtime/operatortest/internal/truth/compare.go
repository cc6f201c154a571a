package truth

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// untruth is a field in which a live child is not the desired state.
type untruth struct {
	path    string
	desired any  // diff.Absent: the field is not desired any more
	live    any  // diff.Absent: the field is not there
	removed bool // it was desired earlier, and is not now
}

type withoutNormal struct{}

// notKnown is what the API server makes of a desired value where no dry run says so.
var notKnown = withoutNormal{}

// truth compares a live child with its desired state.
type truth struct {
	found []untruth
}

func (t *truth) addDifference(path string, desired, normal, live any) {
	if normal != notKnown && normal != diff.Absent {
		desired = normal
	}
	t.found = append(t.found, untruth{path: path, desired: desired, live: live})
}

// compareFields compares the fields that an object sets.
func (t *truth) compareFields(path string, desired map[string]any, normal, live any, sets fieldSets) {
	for _, name := range slices.Sorted(maps.Keys(desired)) {
		element := fieldpath.FieldNameElement(name)
		t.compareValue(diff.JoinPath(path, name), desired[name], fieldOf(normal, name), fieldOf(live, name), sets.belowElement(element), sets.isAtomic(element))
	}
}

// fieldOf is the field of an object; of a value that is not known, neither is a field.
func fieldOf(object any, name string) any {
	if object == notKnown {
		return notKnown
	}
	fields, _ := object.(map[string]any)
	return diff.LookUp(fields, name)
}

// compareValue compares a desired value with the live one. normal is what the API server makes
// of the desired one.
func (t *truth) compareValue(path string, desired, normal, live any, sets fieldSets, atomic bool) {
	if meansSame(path, desired, live) || normal != notKnown && meansSame(path, normal, live) {
		return
	}
	switch desired := desired.(type) {
	case map[string]any:
		if fields, ok := live.(map[string]any); ok && !atomic {
			t.compareFields(path, desired, normal, fields, sets)
			return
		}
	case []any:
		if items, ok := live.([]any); ok {
			t.compareList(path, desired, normal, items, sets, atomic)
			return
		}
	}
	t.addDifference(path, desired, normal, live)
}

func (t *truth) compareList(path string, desired []any, normal any, live []any, sets fieldSets, atomic bool) {
	if keys := sets.keys(atomic, desired, normal, live); keys != nil {
		t.compareItems(path, desired, normal, live, sets, keys)
		return
	}
	if sets.isSet() {
		for i, item := range desired {
			accepted := func(other any) bool { return meansSame(path, item, other) || meansSame(path, itemOf(normal, i), other) }
			if !slices.ContainsFunc(live, accepted) {
				t.addDifference(fmt.Sprintf("%s[%d]", path, i), item, itemOf(normal, i), diff.Absent)
			}
		}
		return
	}
	if normal == notKnown && len(desired) == len(live) && diff.OfObjects(desired) && diff.OfObjects(live) { // which may hold defaults
		for i, item := range desired {
			t.compareValue(fmt.Sprintf("%s[%d]", path, i), item, normal, live[i], fieldSets{}, false)
		}
		return
	}
	t.addDifference(path, desired, normal, live)
}

// compareItems compares the items of a list-map, those of one key in their order.
func (t *truth) compareItems(path string, desired []any, normal any, live []any, sets fieldSets, keys []string) {
	seen := map[string]int{}
	for i, item := range desired {
		said := itemKeys(item, keys)
		n := seen[diff.Show(said)]
		seen[diff.Show(said)]++
		normalItem := itemOf(normal, i)
		if fields, ok := normalItem.(map[string]any); normal != notKnown && (!ok || !hasKeys(fields, said)) {
			normalItem = findItem(normal, said, n)
		}
		full := said
		if completed := itemKeys(normalItem, keys); len(completed) > len(said) {
			full, n = completed, 0
		}
		t.compareValue(itemPath(path, said, keys), item, normalItem, findItem(live, full, n), sets.belowElement(itemElement(full)), false)
	}
}

func itemOf(list any, i int) any {
	if list == notKnown {
		return notKnown
	}
	items, _ := list.([]any)
	if i < len(items) {
		return items[i]
	}
	return diff.Absent
}

// meansSame reports whether two values mean the same: nothing is added to either.
func meansSame(path string, a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return false
		}
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for key := range keys {
			if !meansSame(diff.JoinPath(path, key), diff.LookUp(a, key), diff.LookUp(b, key)) {
				return false
			}
		}
		return true
	case []any:
		if b, ok := b.([]any); ok {
			return slices.EqualFunc(a, b, func(a, b any) bool { return meansSame(path, a, b) })
		}
	}
	return diff.EqualValues(path, a, b)
}
