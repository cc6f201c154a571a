// Package related finds the objects that a parent's Sync reads and does not own, and the parents
// that read an object that has changed.
//
//	Query     the objects that one parent reads of one kind
//	Index     the queries of all parents                         → Readers(object)
//	Part      the part of a kind to which a watch is limited
//	Watches   the limited watches of a process                   → Fixed(part), Selected(kind)
//	Selected  the objects of a kind that parents select          → Read(queries)
package related

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AllNamespaces stands for every namespace in a Query.
const AllNamespaces = "*"

// Query selects objects of one kind: by their names, or by their labels if there are no names. The
// zero value selects nothing.
type Query struct {
	Names    []string
	Selector labels.Selector
	// Namespaces are the namespaces of the objects, or AllNamespaces. For a cluster-scoped kind
	// it is the empty name.
	Namespaces []string
}

// Selects reports whether the query selects an object of its kind.
func (q Query) Selects(object client.Object) bool {
	if !slices.Contains(q.Namespaces, AllNamespaces) && !slices.Contains(q.Namespaces, object.GetNamespace()) {
		return false
	}
	if len(q.Names) > 0 {
		return slices.Contains(q.Names, object.GetName())
	}
	return q.Selector != nil && q.Selector.Matches(labels.Set(object.GetLabels()))
}

// IsEmpty reports whether the query selects nothing.
func (q Query) IsEmpty() bool {
	return len(q.Namespaces) == 0 || len(q.Names) == 0 && q.Selector == nil
}

// selector returns the selector of the query; nil if it names its objects.
func (q Query) selector() labels.Selector {
	if len(q.Names) > 0 {
		return nil
	}
	return q.Selector
}

// selectorText returns the selector as a text; empty if the query names its objects.
func (q Query) selectorText() string {
	if selector := q.selector(); selector != nil {
		return selector.String()
	}
	return ""
}

// key returns a text that is the same for queries that select the same objects.
func (q Query) key() string {
	return fmt.Sprintf("%q %q %q", q.Names, q.selectorText(), q.Namespaces)
}
