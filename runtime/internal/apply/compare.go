package apply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// covers tells whether a set holds every path of a desired value. Below a path that
// ends, values tell: see differences.
func (s fieldset) covers(desired any) bool {
	if s == nil {
		return true
	}
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			below, ok := s.field(name)
			if !ok || !below.covers(value) {
				return false
			}
		}
		return true
	case []any:
		return s.coversItems(desired)
	}
	return false
}

// coversItems looks for the items that are desired by the steps in the set, not
// the other way round: an item may leave out a key that the API server defaults.
func (s fieldset) coversItems(desired []any) bool {
	found := 0
	for _, step := range s {
		item, ok := find(desired, step.name)
		if !ok {
			continue
		}
		if !step.below.covers(item) {
			return false
		}
		found++
	}
	return found >= len(desired)
}

// differences returns the paths at which an object is not as desired, among those that
// are ours.
func (v *view) differences(d Desired) ([]string, error) {
	content, err := v.content()
	if err != nil {
		return nil, err
	}
	c := comparison{builtin: isBuiltin(d)}
	c.compare("", v.set, d.fields(), content)
	return c.paths, nil
}

// covers reports whether we own every path that is desired, and have applied no other.
func (v *view) covers(d Desired) bool {
	return v.set != nil && !v.extra && v.set.covers(d.fields())
}

// isBuiltin reports whether a child is of one of Kubernetes' own kinds.
func isBuiltin(d Desired) bool { return clientgoscheme.Scheme.Recognizes(d.Kind) }

// comparison collects the paths at which a live object differs from desired.
type comparison struct {
	builtin   bool // the kind is one of Kubernetes' own, whose defaults are known
	completed bool // objects may hold more fields than desired
	paths     []string
}

// compare compares the values at the paths in a set, which ends at values that
// belong to us as a whole.
func (c *comparison) compare(path string, set fieldset, desired, live any) {
	if set == nil {
		if !c.same(desired, live) {
			c.paths = append(c.paths, path)
		}
		return
	}
	for _, step := range set {
		below, wanted := descend(desired, step.name)
		if !wanted {
			continue
		}
		now, _ := descend(live, step.name)
		c.compare(join(path, step.name), step.below, below, now)
	}
}

// same tells whether a live value is the desired one. An object that is desired
// without any field may hold what others set. The API server leaves out empty values
// of Kubernetes' own kinds.
func (c *comparison) same(desired, live any) bool {
	switch {
	case equal(desired, live):
		return true
	case empty(desired) && live != nil:
		_, ok := live.(map[string]any)
		return ok
	case c.completed && includes(live, desired):
		return true
	case !c.builtin:
		return false
	}
	return completes(live, desired) || live == nil && isZero(desired) && !empty(desired)
}

// includes reports whether a live value is desired, or has it with more fields in its
// objects.
func includes(live, desired any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			if !includes(field(live, name), value) {
				return false
			}
		}
		return true
	case []any:
		items, _ := live.([]any)
		return slices.EqualFunc(items, desired, includes)
	}
	return equal(live, desired)
}

func isZero(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	case string:
		return value == ""
	case bool:
		return !value
	}
	return equal(value, int64(0))
}

func field(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
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

// otherProtocols are not those that the API server fills in where a port names none.
var otherProtocols = []string{`"UDP"`, `"SCTP"`}

// matching counts the keys that an item has; one that differs makes it zero.
func matching(item any, keys []listKey) (n int) {
	object, _ := item.(map[string]any)
	for _, key := range keys {
		value, ok := object[key.name]
		if ok && !key.is(value) || !ok && key.name == "protocol" && slices.Contains(otherProtocols, key.value) {
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
