package apply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// hasAll reports whether the set has every path of a desired value. It does not look below the end
// of a path, where differingPaths compares values.
func (s fieldset) hasAll(desired any) bool {
	if s == nil {
		return true
	}
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			below, ok := s.belowField(name)
			if !ok || !below.hasAll(value) {
				return false
			}
		}
		return true
	case []any:
		return s.hasAllItems(desired)
	}
	return false
}

// hasAllItems looks up the desired items by the steps of the set, because a desired item may leave
// out a key that the API server defaults.
func (s fieldset) hasAllItems(desired []any) bool {
	found, items := 0, partsOf(desired)
	for _, step := range s {
		item, ok := items.follow(step.name)
		if !ok {
			continue
		}
		if !step.below.hasAll(item) {
			return false
		}
		found++
	}
	return found >= len(desired)
}

// differingPaths returns the owned paths at which an object differs from its desired state.
func (o *ownedFields) differingPaths(d Desired) ([]string, error) {
	content, err := o.content()
	if err != nil {
		return nil, err
	}
	c := valueComparison{builtin: isBuiltin(d)}
	c.compareFields("", o.set, d.fields(), content)
	return c.paths, nil
}

// hasAllDesired reports whether we own every desired path, and have applied no other.
func (o *ownedFields) hasAllDesired(d Desired) bool {
	return o.set != nil && !o.extraApplied && o.set.hasAll(d.fields())
}

// isBuiltin reports whether a child is of one of Kubernetes' own kinds.
func isBuiltin(d Desired) bool { return clientgoscheme.Scheme.Recognizes(d.Kind) }

// valueComparison collects the paths at which a live object differs from its desired state.
type valueComparison struct {
	builtin   bool // the kind is one of Kubernetes' own, whose defaults are known
	completed bool // objects may hold more fields than desired
	paths     []string
}

// compareFields compares the values at the paths of a set.
func (c *valueComparison) compareFields(path string, set fieldset, desired, live any) {
	if set == nil {
		if !c.isSame(desired, live) {
			c.paths = append(c.paths, path)
		}
		return
	}
	desiredParts, liveParts := partsOf(desired), partsOf(live)
	for _, step := range set {
		below, isDesired := desiredParts.follow(step.name)
		if !isDesired {
			continue
		}
		now, _ := liveParts.follow(step.name)
		c.compareFields(joinPath(path, step.name), step.below, below, now)
	}
}

// isSame reports whether a live value equals the desired one. An object that is desired without
// fields may have fields of others. The API server leaves out empty values of Kubernetes' own
// kinds.
func (c *valueComparison) isSame(desired, live any) bool {
	switch {
	case equalValues(desired, live):
		return true
	case isEmptyObject(desired) && live != nil:
		_, ok := live.(map[string]any)
		return ok
	case c.completed && includesValue(live, desired):
		return true
	case !c.builtin:
		return false
	}
	return addsOnlyDefaults(live, desired) || live == nil && isZero(desired) && !isEmptyObject(desired)
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
