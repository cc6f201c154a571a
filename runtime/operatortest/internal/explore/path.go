package explore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// step leads from a value to one below it: a field of an object, or an item of a list by its keys,
// by its value in a set, or otherwise by its index.
type step struct {
	field    string
	keys     map[string]any
	defaults map[string]any // of keys that an item may leave out
	value    any
	index    int
}

// path leads from an object to a value in it.
type path []step

// String returns the path in readable form: spec.containers[name=main].image.
func (p path) String() string {
	text := ""
	for _, s := range p {
		switch {
		case s.field != "":
			text = diff.JoinPath(text, s.field)
		case s.keys != nil:
			var parts []string
			for _, key := range slices.Sorted(maps.Keys(s.keys)) {
				parts = append(parts, fmt.Sprintf("%s=%v", key, s.keys[key]))
			}
			text += "[" + strings.Join(parts, ",") + "]"
		case s.value != nil:
			text += fmt.Sprintf("[=%v]", s.value)
		default:
			text += fmt.Sprintf("[%d]", s.index)
		}
	}
	return text
}

// with returns the path to a value below.
func (p path) with(s step) path { return append(slices.Clip(p), s) }

// get returns the value at a path.
func (p path) get(value any) (any, bool) {
	for _, s := range p {
		below, ok := s.get(value)
		if !ok {
			return nil, false
		}
		value = below
	}
	return value, true
}

func (s step) get(value any) (any, bool) {
	if s.field != "" {
		object, _ := value.(map[string]any)
		below, ok := object[s.field]
		return below, ok
	}
	list, _ := value.([]any)
	if i := s.find(list); i >= 0 {
		return list[i], true
	}
	return nil, false
}

// find returns the index of an item; -1 if there is none.
func (s step) find(list []any) int {
	switch {
	case s.keys != nil:
		return slices.IndexFunc(list, s.isItem)
	case s.value != nil:
		return slices.IndexFunc(list, func(item any) bool { return reflect.DeepEqual(item, s.value) })
	case s.index < len(list):
		return s.index
	}
	return -1
}

// isItem reports whether an item has the keys of a step.
func (s step) isItem(item any) bool {
	object, _ := item.(map[string]any)
	for key, value := range s.keys {
		has, ok := object[key]
		if !ok {
			has = s.defaults[key]
		}
		if fmt.Sprint(has) != fmt.Sprint(value) {
			return false
		}
	}
	return object != nil
}

// set replaces the value at a path. It reports false where nothing is.
func (p path) set(content map[string]any, value any) bool {
	return p.edit(content, func(any) (any, bool) { return value, true })
}

// remove removes the value at a path.
func (p path) remove(content map[string]any) bool {
	last := len(p) - 1
	return p[:last].edit(content, func(parent any) (any, bool) {
		if object, ok := parent.(map[string]any); ok {
			_, found := object[p[last].field]
			delete(object, p[last].field)
			return object, found
		}
		list, _ := parent.([]any)
		i := p[last].find(list)
		if i < 0 {
			return nil, false
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	})
}

// edit replaces the value at a path by the result of change, unless change reports false.
func (p path) edit(content map[string]any, change func(any) (any, bool)) bool {
	_, ok := p.editIn(content, change)
	return ok
}

func (p path) editIn(value any, change func(any) (any, bool)) (any, bool) {
	if len(p) == 0 {
		return change(value)
	}
	below, ok := p[0].get(value)
	if !ok {
		return nil, false
	}
	list, _ := value.([]any)
	index := p[0].find(list) // before a key is changed
	edited, ok := p[1:].editIn(below, change)
	if !ok {
		return nil, false
	}
	if object, isObject := value.(map[string]any); isObject {
		object[p[0].field] = edited
	} else {
		list[index] = edited
	}
	return value, true
}
