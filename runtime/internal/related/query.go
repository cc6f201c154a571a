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
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/objectfields"
)

// AllNamespaces stands for every namespace in a Query.
const AllNamespaces = "*"

// Query selects objects of one kind: by their names, or by their labels and fields if there are no
// names. The zero value selects nothing.
type Query struct {
	Names    []string
	Selector labels.Selector
	// Fields are what objects have beside the labels of the Selector.
	Fields []Field
	// Namespaces are the namespaces of the objects, or AllNamespaces. For a cluster-scoped kind
	// it is the empty name.
	Namespaces []string
}

// ControllerPath stands for the path to the UID of the owner that controls an object.
const ControllerPath = "controller"

// Field is a field of an object, and the value in it as a text. The value is not empty.
type Field struct{ Path, Value string }

// valueOf returns the value of an object's field as a text. It is empty if the field is not set, or
// is an object or a list.
func valueOf(object client.Object, path string) string {
	if path == ControllerPath {
		if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
			return string(controller.UID)
		}
		return ""
	}
	value, err := objectfields.Text(object, path)
	if err != nil {
		return ""
	}
	return value
}

// valuesOf returns the values of fields as one text. It is empty if one of them is, or there are none.
func valuesOf(object client.Object, paths []string) string {
	values := make([]string, len(paths))
	for i, path := range paths {
		if values[i] = valueOf(object, path); values[i] == "" {
			return ""
		}
	}
	return strings.Join(values, "\x00")
}

// indexName returns the name of the index of a cache by fields.
func indexName(paths []string) string { return strings.Join(paths, ",") }

// IndexedFields returns the name of the index by the fields of a query, and their values there; see
// [Watches.IndexFields].
func (q Query) IndexedFields() (name, values string) {
	var paths, all []string
	for _, field := range q.Fields {
		paths, all = append(paths, field.Path), append(all, field.Value)
	}
	return indexName(paths), strings.Join(all, "\x00")
}

// Selects reports whether the query selects an object of its kind.
func (q Query) Selects(object client.Object) bool {
	if !slices.Contains(q.Namespaces, AllNamespaces) && !slices.Contains(q.Namespaces, object.GetNamespace()) {
		return false
	}
	if len(q.Names) > 0 {
		return slices.Contains(q.Names, object.GetName())
	}
	return q.Selector != nil && q.matches(object)
}

// matches reports whether an object has the labels and fields of a query without names.
func (q Query) matches(object client.Object) bool {
	return q.Selector.Matches(labels.Set(object.GetLabels())) &&
		!slices.ContainsFunc(q.Fields, func(f Field) bool { return valueOf(object, f.Path) != f.Value })
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

// filterText returns the selector and the fields as a text; empty if the query names its objects.
func (q Query) filterText() string {
	selector := q.selector()
	switch {
	case selector == nil:
		return ""
	case len(q.Fields) == 0:
		return selector.String()
	}
	return fmt.Sprintf("%s %q", selector, q.Fields)
}

// key returns a text that is the same for queries that select the same objects.
func (q Query) key() string {
	return fmt.Sprintf("%q %q %q", q.Names, q.filterText(), q.Namespaces)
}
