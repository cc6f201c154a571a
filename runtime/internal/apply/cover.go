package apply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// covers tells whether a set holds every path of a desired value.
//
// In the entry of a plain create, the end of a path may also be an object whose
// fields all belong to others by now. So there, the values at the ends count.
func (s fieldset) covers(desired, live any, created bool) bool {
	if s == nil {
		return !created || contains(live, desired)
	}
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			below, ok := s.field(name)
			if !ok || !below.covers(value, field(live, name), created) {
				return false
			}
		}
		return true
	case []any:
		return s.coversItems(desired, live, created)
	}
	return false
}

// coversItems looks for the items that are desired by the steps in the set, not
// the other way round: an item may leave out a key that the API server defaults.
func (s fieldset) coversItems(desired []any, live any, created bool) bool {
	found := 0
	for _, step := range s {
		item, ok := find(desired, step.name)
		if !ok {
			continue
		}
		now, _ := descend(live, step.name)
		if !step.below.covers(item, now, created) {
			return false
		}
		found++
	}
	return found >= len(desired)
}

// contains tells whether live has all that is desired in an object or a list,
// where the API server may have added to it. Other values are not compared:
// they have paths of their own.
func contains(live, desired any) bool {
	switch desired.(type) {
	case map[string]any, []any:
		return includes(live, desired)
	}
	return true
}

func includes(live, desired any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			if now := field(live, name); !includes(now, value) && (value != "" || !isDefault(name, now)) {
				return false
			}
		}
		return true
	case []any:
		rest, _ := live.([]any)
		for _, item := range desired {
			i := slices.IndexFunc(rest, func(now any) bool { return includes(now, item) })
			if i < 0 {
				return false
			}
			rest = rest[i+1:]
		}
		return true
	}
	return equal(live, desired)
}

func field(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// matches tells whether live has everything that is desired at the paths in
// the set, and the set holds nothing else. In an atomic value of a kind of
// Kubernetes' own, defaults of the API server count as desired.
func (s fieldset) matches(desired, live any, builtin bool) bool {
	if s == nil {
		return equal(desired, live) || builtin && completes(live, desired)
	}
	for _, step := range s {
		d, inDesired := descend(desired, step.name)
		l, inLive := descend(live, step.name)
		if !inDesired || !inLive || !step.below.matches(d, l, builtin) {
			return false
		}
	}
	switch desired := desired.(type) {
	case map[string]any:
		return len(s) == len(desired)
	case []any:
		return len(s) == len(desired)
	}
	return false
}

// without returns the set without the path that these fields make, and without
// what holds nothing else.
func (s fieldset) without(fields ...string) fieldset {
	rest := fieldset{}
	for _, step := range s {
		if step.name == "f:"+fields[0] {
			if len(fields) == 1 {
				continue
			}
			if step.below = step.below.without(fields[1:]...); len(step.below) == 0 {
				continue
			}
		}
		rest = append(rest, step)
	}
	return rest
}

// descend takes one step of a path into a value.
func descend(value any, step string) (any, bool) {
	kind, rest, _ := strings.Cut(step, ":")
	switch kind {
	case "f":
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		field, ok := object[rest]
		return field, ok
	case "k", "v":
		items, _ := value.([]any)
		return find(items, step)
	}
	return nil, false
}

// find returns the item of a list that a "k:" or "v:" step selects.
func find(items []any, step string) (any, bool) {
	at := place(items, step)
	if at < 0 {
		return nil, false
	}
	return items[at], true
}

// place returns where in a list the item is that a "k:" or "v:" step selects, -1
// if it is not there. An item that leaves a key out matches if no other does
// better: the API server defaults such keys (a port's protocol).
func place(items []any, step string) int {
	kind, text, _ := strings.Cut(step, ":")
	if kind == "v" {
		return placeOfValue(items, text)
	}
	keys, ok := listKeys(text)
	if !ok {
		return -1
	}
	best, bestScore := -1, 0
	for i, item := range items {
		if score := matching(item, keys); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

func placeOfValue(items []any, text string) int {
	var wanted any
	if utiljson.Unmarshal([]byte(text), &wanted) != nil {
		return -1
	}
	return slices.IndexFunc(items, func(item any) bool { return equal(item, wanted) })
}

// matching counts the keys that an item has; one that differs makes it zero.
func matching(item any, keys []listKey) (n int) {
	object, _ := item.(map[string]any)
	for _, key := range keys {
		value, ok := object[key.name]
		if ok && !key.is(value) {
			return 0
		}
		if ok {
			n++
		}
	}
	return n
}

func equal(a, b any) bool {
	if text, ok := a.(string); ok {
		other, ok := b.(string)
		return ok && text == other
	}
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return cmp.Or(errX, errY) == nil && bytes.Equal(x, y)
}
