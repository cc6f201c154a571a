package reconcile

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// orderRelated returns the order in which the objects of entries are read: those of an entry come after
// those that its paths lead into. It links the entries. It returns an error if an entry names none,
// or leads back to itself.
func orderRelated(entries []*relatedKind) ([]int, error) {
	for _, entry := range entries {
		if entry.From == "" {
			continue
		}
		i := slices.IndexFunc(entries, func(other *relatedKind) bool { return other.As == entry.From })
		if i < 0 {
			return nil, fmt.Errorf("related objects of kind %s are from %s, which is no entry", entry.Kind, entry.From)
		}
		entry.from = entries[i]
	}
	var order []int
	for len(order) < len(entries) {
		before := len(order)
		for i, entry := range entries {
			isDone := func(entry *relatedKind) bool { return slices.Contains(order, slices.Index(entries, entry)) }
			if !isDone(entry) && (entry.from == nil || isDone(entry.from)) {
				order = append(order, i)
			}
		}
		if len(order) == before {
			return nil, fmt.Errorf("entries of related objects are from each other without end")
		}
	}
	return order, nil
}

// sourcesOf returns the objects into which the paths of an entry lead, or which control its objects: the
// parent, children, or the related objects of another entry. related are those that are read already,
// by entry.
func (r *run) sourcesOf(kind *relatedKind, related [][]client.Object, children *observed) []client.Object {
	switch {
	case kind.from != nil:
		return related[slices.Index(r.loop.relatedKinds, kind.from)]
	case kind.ofChild != nil:
		return children.children[slices.Index(children.kinds, kind.ofChild)]
	}
	return []client.Object{r.parent}
}
