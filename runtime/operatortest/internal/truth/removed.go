package truth

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// shapeOf is what an object sets, without the values: it is enough to see later which
// fields were set, and holds no secret. Items of lists keep the plain values by which
// they are told apart.
func shapeOf(content any, inList bool) any {
	switch content := content.(type) {
	case map[string]any:
		shape := make(map[string]any, len(content))
		for name, value := range content {
			shape[name] = shapeOf(value, inList)
		}
		return shape
	case []any:
		shape := make([]any, len(content))
		for i, item := range content {
			shape[i] = shapeOf(item, true)
		}
		return shape
	}
	if inList {
		return content
	}
	return true
}

// removedFields looks for fields that an earlier desired state has set, that the present
// one does not, and that are still there, unless the API server sets them by itself or
// another field manager owns them.
func (t *truth) removedFields(path string, earlier map[string]any, desired, normal, live any, sets fieldSets) {
	for _, name := range slices.Sorted(maps.Keys(earlier)) {
		element := fieldpath.FieldNameElement(name)
		t.compareRemoved(diff.JoinPath(path, name), earlier[name], fieldOf(desired, name), fieldOf(normal, name), fieldOf(live, name), sets, element)
	}
}

// compareRemoved does the same for one value; sets are those of what it is in.
func (t *truth) compareRemoved(path string, earlier, desired, normal, live any, sets fieldSets, element fieldpath.PathElement) {
	if live == diff.Absent {
		return
	}
	atomic, below := sets.isAtomic(element), sets.belowElement(element)
	switch earlier := earlier.(type) {
	case map[string]any:
		if fields, ok := live.(map[string]any); ok && len(earlier) > 0 && !atomic {
			t.removedFields(path, earlier, desired, normal, fields, below)
			return
		}
	case []any:
		items, ok := live.([]any)
		if keys := below.keys(atomic, earlier, live); ok && keys != nil {
			t.removedItems(path, earlier, desired, normal, items, below, keys)
			return
		}
		if ok && below.isSet() {
			t.removedValues(path, earlier, desired, normal, items, below)
			return
		}
	}
	if desired == diff.Absent && (normal == diff.Absent || normal == notKnown) && !sets.isOthers(element) {
		t.found = append(t.found, untruth{path: path, desired: diff.Absent, live: live, removed: true})
	}
}

func (t *truth) removedItems(path string, earlier []any, desired, normal any, live []any, sets fieldSets, keys []string) {
	for _, item := range earlier {
		said := itemKeys(item, keys)
		current := findItem(live, said, 0)
		if len(said) == 0 || current == diff.Absent {
			continue
		}
		normalItem := any(notKnown)
		if normal != notKnown {
			normalItem = findItem(normal, said, 0)
		}
		element := itemElement(itemKeys(current, keys))
		t.compareRemoved(itemPath(path, said, keys), item, findItem(desired, said, 0), normalItem, current, sets, element)
	}
}

func (t *truth) removedValues(path string, earlier []any, desired, normal any, live []any, sets fieldSets) {
	has := func(list any, item any) bool {
		items, _ := list.([]any)
		return slices.ContainsFunc(items, func(other any) bool { return meansSame(path, item, other) })
	}
	for _, item := range earlier {
		if has(live, item) && !has(desired, item) && !has(normal, item) && !sets.isOthers(setElement(item)) {
			t.found = append(t.found, untruth{path: path + "[" + diff.Show(item) + "]", desired: diff.Absent, live: item, removed: true})
		}
	}
}
