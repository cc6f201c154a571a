package apply

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// paths is a set of field paths as managedFields writes it: "f:name" is a
// field, `k:{"name":"a"}` a list item by its keys, `v:"x"` one by its value,
// "." the item itself. A path that ends has an empty set below it.
type paths map[string]paths

// OwnsCondition tells whether this field manager has set the condition of this
// type in an object's status.
func OwnsCondition(object client.Object, manager, conditionType string) bool {
	_, set := pathsOf(object, manager, metav1.ManagedFieldsOperationUpdate, "status")
	conditions, any := set["f:status"]["f:conditions"]
	_, one := conditions[fmt.Sprintf(`k:{"type":%q}`, conditionType)]
	return one || any && len(conditions) == 0 // an atomic list
}

// ownedPaths returns the paths that this field manager has applied.
func ownedPaths(object client.Object, manager string) (raw []byte, set paths) {
	return pathsOf(object, manager, metav1.ManagedFieldsOperationApply, "")
}

func pathsOf(object client.Object, manager string, operation metav1.ManagedFieldsOperationType, subresource string) (raw []byte, set paths) {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != operation || entry.Subresource != subresource || entry.FieldsV1 == nil {
			continue
		}
		raw = entry.FieldsV1.GetRawBytes()
		if json.Unmarshal(raw, &set) != nil {
			return nil, nil
		}
		return raw, set
	}
	return nil, nil
}

// ownedHash sums up what this field manager owns: the paths, and the object's
// values there. It is zero when the manager owns nothing.
func ownedHash(object client.Object, manager string) (sum [sha256.Size]byte, err error) {
	raw, set := ownedPaths(object, manager)
	if set == nil {
		return sum, nil
	}
	content, err := contentOf(object)
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	hash.Write(raw)
	if err := writeValues(hash, content, set); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// writeValues writes the values at the paths in set, in the order of the paths.
func writeValues(w io.Writer, value any, set paths) error {
	if len(set) == 0 {
		return json.NewEncoder(w).Encode(value)
	}
	for _, step := range slices.Sorted(maps.Keys(set)) {
		if step == "." {
			continue
		}
		below, found := descend(value, step)
		if !found {
			if _, err := io.WriteString(w, "absent\n"); err != nil {
				return err
			}
			continue
		}
		if err := writeValues(w, below, set[step]); err != nil {
			return err
		}
	}
	return nil
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

// find returns the item of a list that a "k:" or "v:" step selects. An item
// that leaves a key out matches if no other does better: the API server
// defaults such keys (a port's protocol).
func find(items []any, step string) (any, bool) {
	kind, rest, _ := strings.Cut(step, ":")
	var wanted any
	if utiljson.Unmarshal([]byte(rest), &wanted) != nil {
		return nil, false
	}
	keys, _ := wanted.(map[string]any)
	best, bestScore := any(nil), 0
	for _, item := range items {
		if kind == "v" {
			if equal(item, wanted) {
				return item, true
			}
			continue
		}
		if score := matching(item, keys); score > bestScore {
			best, bestScore = item, score
		}
	}
	return best, bestScore > 0
}

// matching counts the keys that an item has; one that differs makes it zero.
func matching(item any, keys map[string]any) (n int) {
	object, _ := item.(map[string]any)
	for key, wanted := range keys {
		value, ok := object[key]
		if ok && !equal(value, wanted) {
			return 0
		}
		if ok {
			n++
		}
	}
	return n
}

// covered tells whether live already has everything that is desired, and this
// set of owned paths holds nothing else. Where the paths end, live may be more
// than desired if it is known to have been completed by the API server alone.
func covered(desired, live any, set paths, completed bool) bool {
	if len(set) == 0 {
		return completed || equal(desired, live)
	}
	steps := 0
	for step, below := range set {
		if step == "." {
			continue
		}
		steps++
		d, inDesired := descend(desired, step)
		l, inLive := descend(live, step)
		if !inDesired || !inLive || !covered(d, l, below, completed) {
			return false
		}
	}
	switch desired := desired.(type) {
	case map[string]any:
		return steps == len(desired)
	case []any:
		return steps == len(desired)
	}
	return false
}

func equal(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return cmp.Or(errX, errY) == nil && bytes.Equal(x, y)
}

// contentOf returns an object's fields, not to be changed.
func contentOf(object client.Object) (map[string]any, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}
