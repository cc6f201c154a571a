package truth

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// untruth is a field in which a live child is not the desired state.
type untruth struct {
	path    string
	desired any  // absent: the field is not desired any more
	live    any  // absent: the field is not there
	removed bool // it was desired earlier, and is not now
	fresh   bool // nobody desires it, and a new child has another value
}

// comparison compares a live child with its desired state.
type comparison struct {
	kind     *schemas.Kind
	desired  map[string]any
	normal   map[string]any // what the API server makes of the desired state; nil: it is not known
	live     map[string]any
	others   *fieldpath.Set   // fields that others than the operator own
	applied  *fieldpath.Set   // fields that the operator has applied
	handOver []fieldpath.Path // fields that the child keeps when they are not desired
}

// findUntruths returns the fields of the desired state that the live child does not have.
func (c comparison) findUntruths() (found []untruth, err error) {
	desired, err := c.kind.Fields(c.desired)
	if err != nil {
		return nil, err
	}
	expected := c.desired
	if c.normal != nil {
		expected = c.normal
	}
	compared, err := c.kind.Compare(expected, c.live)
	if err != nil {
		return nil, err
	}
	differ := compared.Removed.Union(compared.Modified).Intersection(desired)
	for path := range schemas.Topmost(differ) {
		live := path.Value(c.live)
		if !c.isSame(path.String(), path.Value(c.desired), live, false) {
			found = append(found, untruth{path: path.String(), desired: path.Value(expected), live: live})
		}
	}
	return found, nil
}

// isSame reports whether a live value means the same as a desired one. Where it is not known what
// the API server makes of it, an object in a list may have more fields, which may be defaults.
func (c comparison) isSame(path string, desired, live any, inList bool) bool {
	switch desired := desired.(type) {
	case map[string]any:
		live, ok := live.(map[string]any)
		if !ok {
			return false
		}
		keys := maps.Clone(desired)
		if !inList || c.normal != nil {
			maps.Copy(keys, live)
		}
		for key := range keys {
			if !c.isSame(diff.JoinPath(path, key), diff.LookUp(desired, key), diff.LookUp(live, key), inList) {
				return false
			}
		}
		return true
	case []any:
		if live, ok := live.([]any); ok {
			return slices.EqualFunc(desired, live, func(a, b any) bool { return c.isSame(path, a, b, true) })
		}
	}
	return diff.EqualValues(path, desired, live)
}

// findRemoved returns the fields that an earlier desired state has set, that the present one does
// not, and that are still there, unless the API server sets them by itself or another field manager
// owns them. Of those that are handed over, it returns the ones that the operator still owns.
func (c comparison) findRemoved(earlier map[string]any) (found []untruth, err error) {
	var sets [4]*fieldpath.Set
	for i, content := range []map[string]any{earlier, c.live, c.desired, c.normal} {
		if sets[i], err = c.kind.Fields(content); err != nil {
			return nil, err
		}
	}
	left := sets[0].Intersection(sets[1]).Difference(sets[2]).Difference(sets[3]).Difference(c.others)
	kept := schemas.Below(left, c.handOver)
	left = left.Difference(kept).Union(kept.Intersection(c.applied))
	for path := range schemas.Topmost(left) {
		found = append(found, untruth{path: path.String(), desired: diff.Absent, live: path.Value(c.live), removed: true})
	}
	return found, nil
}
