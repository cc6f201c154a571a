package spec

import (
	"slices"
	"strconv"
)

// checkDistinctChildren adds a problem for children with the same Go field, and for entries of the same
// kind that contradict each other.
func (d *decoder) checkDistinctChildren(children []Child, path string) {
	kinds, fields := map[string]int{}, map[string]int{}
	for i, c := range children {
		if c.Kind == "" {
			continue
		}
		first, isListed := kinds[c.groupKind()]
		if !isListed {
			kinds[c.groupKind()] = i
		} else if !d.checkSameKind(children[first], c, indexPath(path, i)) {
			continue
		}
		if other, ok := fields[c.As]; ok && !c.PruneOnly {
			d.failAt(c.Pos, indexPath(path, i), "its Go field "+c.As+" is already that of "+children[other].Kind+" of "+children[other].APIVersion,
				"set another one: as: Other"+c.As)
		}
		fields[c.As] = i
	}
}

// checkPatches adds a problem for children whose Go field is that of the patches of related objects.
func (d *decoder) checkPatches(op *Operator, path string) {
	if !slices.ContainsFunc(op.Related, func(r Related) bool { return r.Patch }) {
		return
	}
	for i, c := range op.Children {
		if c.As == "Patches" && !c.PruneOnly {
			d.failAt(c.Pos, indexPath(path, i), "its Go field Patches is that of the fields of related objects", "set another one: as: OtherPatches")
		}
	}
}

// checkSameKind adds a problem for an entry of a kind that an earlier entry lists, if it does not go with
// that one: the operator has one cache and one set of permissions for the kind. It reports whether the
// entry does.
func (d *decoder) checkSameKind(first, c Child, path string) bool {
	line := "the entry on line " + strconv.Itoa(first.Pos.Line)
	if c.As == first.As && !first.PruneOnly {
		d.failAt(c.Pos, path, "duplicate child "+c.Kind, "the first is on line "+strconv.Itoa(first.Pos.Line)+"; for another use of the kind write another as: Other"+c.As)
		return false
	}
	if first.PruneOnly || c.PruneOnly {
		d.failAt(c.Pos, path, "duplicate child "+c.Kind, "pruneOnly stands for a kind that is not listed otherwise: leave one of the entries out; "+line+" is the first")
		return false
	}
	var differing []string
	for _, key := range []struct {
		name   string
		isSame bool
	}{
		{"apiVersion", c.APIVersion == first.APIVersion},
		{"plural", c.Plural == first.Plural},
		{"scope", c.Scope == first.Scope},
		{"goType", c.GoType == first.GoType},
		{"optional", c.Optional == first.Optional},
		{"namespaces", slices.Equal(c.Namespaces, first.Namespaces)},
		{"cache", c.Cache == first.Cache},
	} {
		if !key.isSame {
			differing = append(differing, key.name)
		}
	}
	for _, name := range differing {
		d.failAt(c.Pos, joinPath(path, name), "differs from "+line, "all entries of a kind share it")
	}
	return len(differing) == 0
}
