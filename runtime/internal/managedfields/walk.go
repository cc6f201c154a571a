package managedfields

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Rules say what a walk does. Enter is called for each path of a set, and reports whether the walk
// goes on below it. Leave is called after the paths below a node, and at the end for the whole
// object; it may be nil.
type Rules struct {
	Enter func(*Node) bool
	Leave func(*Node)
}

// Node is a path of a set, with the values that a desired and a live object have there.
type Node struct {
	Element       fieldpath.PathElement // the last one of the path
	Below         *fieldpath.Set        // the paths below; nil: the path ends here
	Desired, Live Value
	Parent        *Node // nil for the whole object

	found int // how many paths below lead to a desired value
}

// Walk visits the paths of a set, sorted, in a desired and a live object. Either may be nil. The
// walk reads each list once, however long it is. The rules must not keep a node.
func (r Rules) Walk(set *fieldpath.Set, desired, live any) {
	r.walkBelow(&Node{Below: set, Desired: Value{Value: desired, Exists: desired != nil}, Live: Value{Value: live, Exists: live != nil}})
}

// walkBelow visits the paths below a node.
func (r Rules) walkBelow(above *Node) {
	var node Node
	eachElement(above.Below, func(element fieldpath.PathElement, below *fieldpath.Set) {
		node = Node{Element: element, Below: below, Desired: above.Desired.Follow(element), Live: above.Live.Follow(element), Parent: above}
		if node.Desired.Exists {
			above.found++
		}
		if r.Enter(&node) && below != nil {
			r.walkBelow(&node)
		}
	})
	if r.Leave != nil {
		r.Leave(above)
	}
}

// eachElement visits the first elements of the paths in a set, sorted, with the paths below each.
func eachElement(set *fieldpath.Set, visit func(fieldpath.PathElement, *fieldpath.Set)) {
	members := slices.AppendSeq(make([]fieldpath.PathElement, 0, set.Members.Size()), set.Members.All())
	set.Children.Iterate(func(element fieldpath.PathElement) {
		order := -1
		for len(members) > 0 && order < 0 {
			if order = members[0].Compare(element); order < 0 {
				visit(members[0], nil)
			}
			if order <= 0 {
				members = members[1:]
			}
		}
		below, _ := set.Children.Get(element)
		visit(element, below)
	})
	for _, element := range members {
		visit(element, nil)
	}
}

// Missing returns the desired paths that the set lacks directly below the node, when the walk
// leaves it. For items of a list that is the path of the list.
func (p *Node) Missing() (paths []string) {
	switch desired := p.Desired.Value.(type) {
	case map[string]any:
		if p.found == len(desired) {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(desired)) {
			element := fieldpath.FieldNameElement(name)
			if _, hasBelow := p.Below.Children.Get(element); !hasBelow && !p.Below.Members.Has(element) {
				paths = append(paths, (&Node{Element: element, Parent: p}).String())
			}
		}
		return paths
	case []any:
		if p.found >= len(desired) {
			return nil
		}
	case nil:
		return nil
	}
	return []string{p.String()}
}
