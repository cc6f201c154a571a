package truth

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// findLagging returns the fields that nobody desires and that no other field manager owns, in which the live child is as
// a new child of an earlier desired state would be, and a new child of the present one would be otherwise. former is
// what the API server makes of the earlier state. Items of lists that are not desired are not compared.
func (c comparison) findLagging(former map[string]any, others *fieldpath.Set) (found []untruth, err error) {
	if c.normal == nil || former == nil {
		return nil, nil
	}
	now, err := c.kind.Compare(c.normal, c.live)
	if err != nil {
		return nil, err
	}
	before, err := c.kind.Compare(former, c.live)
	if err != nil {
		return nil, err
	}
	desired, err := c.kind.Fields(c.desired)
	if err != nil {
		return nil, err
	}
	lagging := differences(now).Leaves().Difference(differences(before)).Difference(desired).Difference(others)
	lagging = lagging.Difference(schemas.Below(lagging, c.undesiredAround()))
	for path := range schemas.Topmost(lagging) {
		if !c.isInItem(path) && !isSystemMetadata(path) {
			found = append(found, untruth{path: path.String(), desired: path.Value(c.normal), live: path.Value(c.live), fresh: true})
		}
	}
	return found, nil
}

// differences returns the paths at which two objects differ.
func differences(compared *typed.Comparison) *fieldpath.Set {
	return compared.Added.Union(compared.Modified).Union(compared.Removed)
}

// isSystemMetadata reports whether a path leads to metadata that no desired state determines.
func isSystemMetadata(path schemas.Path) bool {
	return *path[0].FieldName == "metadata" && (len(path) < 2 || *path[1].FieldName != "labels" && *path[1].FieldName != "annotations")
}

// undesiredAround returns, for each field that is handed over, the outermost object around it that is not desired: the
// child keeps that with its defaults.
func (c comparison) undesiredAround() (paths []fieldpath.Path) {
	for _, path := range c.handOver {
		n := 1
		for n < len(path) && schemas.Path(path[:n]).Value(c.desired) != diff.Absent {
			n++
		}
		paths = append(paths, path[:n])
	}
	return paths
}

// isInItem reports whether a path leads to an item of a list, or into one, that is not desired.
func (c comparison) isInItem(path schemas.Path) bool {
	for i, element := range path {
		if element.FieldName == nil && path[:i+1].Value(c.desired) == diff.Absent {
			return true
		}
	}
	return false
}
