package schemas

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// Path leads from an object to a value in it.
type Path fieldpath.Path

// PathOf returns the path of nested fields.
func PathOf(fields ...string) Path { return Path(nil).With(fields...) }

// With returns the path to a field below.
func (p Path) With(fields ...string) Path {
	for _, field := range fields {
		p = p.Then(fieldpath.FieldNameElement(field))
	}
	return p
}

// Then returns the path to an element below.
func (p Path) Then(element fieldpath.PathElement) Path { return append(slices.Clip(p), element) }

// Below returns the paths of a set that are one of these paths or lead below one.
func Below(set *fieldpath.Set, paths []fieldpath.Path) *fieldpath.Set {
	below := fieldpath.NewSet()
	if len(paths) == 0 {
		return below
	}
	for path := range set.All() {
		if slices.ContainsFunc(paths, func(of fieldpath.Path) bool { return managedfields.IsAround(of, path) }) {
			below.Insert(path.Copy())
		}
	}
	return below
}

// Last returns the last element of a path that has one.
func (p Path) Last() fieldpath.PathElement { return p[len(p)-1] }

// String returns the path in readable form: spec.containers[main].image.
func (p Path) String() string {
	text := ""
	for _, e := range p {
		switch {
		case e.FieldName != nil:
			text = diff.JoinPath(text, *e.FieldName)
		case e.Key != nil:
			var keys []string
			for _, key := range *e.Key {
				keys = append(keys, fmt.Sprint(key.Value.Unstructured()))
			}
			text += "[" + strings.Join(keys, ",") + "]"
		case e.Value != nil:
			shown, _ := json.Marshal((*e.Value).Unstructured()) // it comes from JSON
			text += "[" + string(shown) + "]"
		default:
			text += fmt.Sprintf("[%d]", *e.Index)
		}
	}
	return text
}

// Get returns the value at a path.
func (p Path) Get(content any) (any, bool) {
	for _, element := range p {
		below, ok := get(element, content)
		if !ok {
			return nil, false
		}
		content = below
	}
	return content, true
}

// Value returns the value at a path, or [diff.Absent].
func (p Path) Value(content any) any {
	if found, ok := p.Get(content); ok {
		return found
	}
	return diff.Absent
}

func get(element fieldpath.PathElement, content any) (any, bool) {
	if element.FieldName != nil {
		object, _ := content.(map[string]any)
		below, ok := object[*element.FieldName]
		return below, ok
	}
	list, _ := content.([]any)
	if i := find(element, list); i >= 0 {
		return list[i], true
	}
	return nil, false
}

// find returns the index of an item; -1 if there is none. An item that leaves out a key is the one
// only if no other has all keys.
func find(element fieldpath.PathElement, list []any) int {
	switch {
	case element.Key != nil:
		if i := slices.IndexFunc(list, func(item any) bool { return hasKeys(item, *element.Key, false) }); i >= 0 {
			return i
		}
		return slices.IndexFunc(list, func(item any) bool { return hasKeys(item, *element.Key, true) })
	case element.Value != nil:
		return slices.IndexFunc(list, func(item any) bool { return value.Equals(value.NewValueInterface(item), *element.Value) })
	case element.Index != nil && *element.Index < len(list):
		return *element.Index
	}
	return -1
}

func hasKeys(item any, keys value.FieldList, mayLeaveOut bool) bool {
	object, _ := item.(map[string]any)
	for _, key := range keys {
		found, ok := object[key.Name]
		if !ok && mayLeaveOut {
			continue
		}
		if !ok || !value.Equals(value.NewValueInterface(found), key.Value) {
			return false
		}
	}
	return object != nil
}

// Set replaces the value at a path. It reports false where nothing is.
func (p Path) Set(content map[string]any, to any) bool {
	return p.Edit(content, func(any) (any, bool) { return to, true })
}

// Remove removes the value at a path.
func (p Path) Remove(content map[string]any) bool {
	return p[:len(p)-1].Edit(content, func(parent any) (any, bool) {
		if object, ok := parent.(map[string]any); ok {
			_, found := object[*p.Last().FieldName]
			delete(object, *p.Last().FieldName)
			return object, found
		}
		list, _ := parent.([]any)
		i := find(p.Last(), list)
		if i < 0 {
			return nil, false
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	})
}

// Edit replaces the value at a path by the result of change, unless change reports false.
func (p Path) Edit(content map[string]any, change func(any) (any, bool)) bool {
	_, ok := p.edit(content, change)
	return ok
}

func (p Path) edit(content any, change func(any) (any, bool)) (any, bool) {
	if len(p) == 0 {
		return change(content)
	}
	below, ok := get(p[0], content)
	if !ok {
		return nil, false
	}
	list, _ := content.([]any)
	index := find(p[0], list) // before a key is changed
	edited, ok := p[1:].edit(below, change)
	if !ok {
		return nil, false
	}
	if object, isObject := content.(map[string]any); isObject {
		object[*p[0].FieldName] = edited
	} else {
		list[index] = edited
	}
	return content, true
}

// Topmost yields the paths of a set that are not below another one of it.
func Topmost(set *fieldpath.Set) iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for path := range set.All() {
			if !hasAncestor(set, path) && !yield(Path(path.Copy())) {
				return
			}
		}
	}
}

func hasAncestor(set *fieldpath.Set, path fieldpath.Path) bool {
	for i := 1; i < len(path); i++ {
		if set.Has(path[:i]) {
			return true
		}
	}
	return false
}
