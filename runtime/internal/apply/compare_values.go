package apply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// comparison is how a live object differs from its desired state at the paths of a set.
type comparison struct {
	differs []string // paths at which the object does not have the desired value
	altered []string // those of them at which it has not only more fields
	missing []string // desired paths that the set does not have
	extra   uint64   // hash of the paths of the set that are not desired; zero: there are none
	// lacksObject says that the object has nothing where an object is desired without fields.
	lacksObject bool
}

// compare compares the values of a live object at the paths of a set. The child's own annotations do not count, nor
// the annotations around them.
func (d Desired) compare(set *fieldpath.Set, live map[string]any) comparison {
	var c comparison
	builtin := d.isBuiltin()
	var own []string
	for key := range d.ownAnnotations() {
		own = append(own, fmt.Sprintf("metadata.annotations[%q]", key))
	}
	enter := func(p *managedfields.Node) bool {
		switch isEnd := p.Below == nil; {
		case !p.Desired.Exists && isEnd:
			path := p.String()
			if !slices.ContainsFunc(own, func(around string) bool { return strings.HasPrefix(around, path) }) {
				c.extra = c.extra*31 + xxhash.Sum64String(path)
			}
		case p.Desired.Exists && (isEnd || isEmptyObject(p.Desired.Value)):
			c.compareValue(p, builtin)
		}
		return true
	}
	leave := func(p *managedfields.Node) { c.missing = append(c.missing, p.Missing()...) }
	managedfields.Rules{Enter: enter, Leave: leave}.Walk(set, d.fields(), live)
	return c
}

// compareValue compares the values at the end of a path.
func (c *comparison) compareValue(p *managedfields.Node, builtin bool) {
	desired, live := p.Desired.Value, p.Live.Value
	if isSame(desired, live, builtin) {
		return
	}
	c.differs = append(c.differs, p.String())
	c.lacksObject = c.lacksObject || isEmptyObject(desired) && live == nil
	if !includesValue(live, desired) {
		c.altered = append(c.altered, p.String())
	}
}

// isBuiltin reports whether a child is of one of Kubernetes' own kinds, whose defaults are known.
func (d Desired) isBuiltin() bool { return clientgoscheme.Scheme.Recognizes(d.Kind) }

// isSame reports whether a live value equals the desired one. An object that is desired without
// fields may have fields of others. The API server leaves out empty values of Kubernetes' own
// kinds.
func isSame(desired, live any, builtin bool) bool {
	switch {
	case equalValues(desired, live):
		return true
	case isEmptyObject(desired):
		_, ok := live.(map[string]any)
		return ok
	case !builtin:
		return false
	}
	return addsOnlyDefaults(live, desired) || live == nil && isZero(desired)
}

// isEmptyObject reports whether a value is an object without fields.
func isEmptyObject(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && len(fields) == 0
}

// includesValue reports whether a live value equals the desired one, or has more fields in its
// objects.
func includesValue(live, desired any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			if !includesValue(fieldValue(live, name), value) {
				return false
			}
		}
		return true
	case []any:
		items, _ := live.([]any)
		return slices.EqualFunc(items, desired, includesValue)
	}
	return equalValues(live, desired)
}

// isZero reports whether a value is empty, zero or false.
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
	return equalValues(value, int64(0))
}

// fieldValue returns a field of an object. It is nil if there is none.
func fieldValue(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// equalValues reports whether two values have the same JSON.
func equalValues(a, b any) bool {
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
