package related

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Index knows which parents read which objects of one kind. It is safe for concurrent use. Finding
// the readers of an object costs a lookup for each of its labels, and a comparison for each
// different selector that asks for one of these or for no label's value. Queries of other
// namespaces, names and values cost nothing.
type Index struct {
	paths    []string // of the fields of queries
	mu       sync.RWMutex
	readers  map[indexKey]map[string]*readers // by the text of the filter; empty for a name
	byParent map[types.NamespacedName][]Query
}

// indexKey is what objects have in common that a query may select. What it leaves empty may be
// anything.
type indexKey struct {
	namespace string // or AllNamespaces
	name      string
	label     label
	values    string // of the fields of the index
}

type label struct{ key, value string }

// readers are the parents that read the objects with an index key, or those of them that a query
// matches.
type readers struct {
	query   Query // its namespaces do not count
	parents map[types.NamespacedName]bool
}

// NewIndex returns an empty index. paths are those of the fields of queries.
func NewIndex(paths ...string) *Index {
	return &Index{paths: paths, readers: map[indexKey]map[string]*readers{}, byParent: map[types.NamespacedName][]Query{}}
}

// Set replaces the queries of a parent.
func (x *Index) Set(parent types.NamespacedName, queries []Query) {
	queries = slices.DeleteFunc(slices.Clone(queries), Query.IsEmpty)
	x.mu.Lock()
	defer x.mu.Unlock()
	if slices.EqualFunc(x.byParent[parent], queries, func(a, b Query) bool { return a.key() == b.key() }) {
		return
	}
	for _, query := range x.byParent[parent] {
		x.remove(parent, query)
	}
	delete(x.byParent, parent)
	if len(queries) == 0 {
		return
	}
	x.byParent[parent] = queries
	for _, query := range queries {
		x.add(parent, query)
	}
}

// Readers returns the parents that read an object, in no order.
func (x *Index) Readers(object client.Object) []types.NamespacedName {
	x.mu.RLock()
	defer x.mu.RUnlock()
	found := map[types.NamespacedName]bool{}
	for _, key := range x.indexKeysOf(object) {
		for _, readers := range x.readers[key] {
			if readers.query.selector() != nil && !readers.query.matches(object) {
				continue
			}
			for parent := range readers.parents {
				found[parent] = true
			}
		}
	}
	names := make([]types.NamespacedName, 0, len(found))
	for parent := range found {
		names = append(names, parent)
	}
	return names
}

// indexKeysOf returns the keys of the queries that may select an object.
func (x *Index) indexKeysOf(object client.Object) []indexKey {
	var all []indexKey
	for _, namespace := range []string{object.GetNamespace(), AllNamespaces} {
		all = append(all, indexKey{namespace: namespace}, indexKey{namespace: namespace, name: object.GetName()})
		for key, value := range object.GetLabels() {
			all = append(all, indexKey{namespace: namespace, label: label{key, value}})
		}
		if values := valuesOf(object, x.paths); values != "" {
			all = append(all, indexKey{namespace: namespace, values: values})
		}
	}
	return all
}

func (x *Index) add(parent types.NamespacedName, query Query) {
	text := query.filterText()
	for _, key := range query.indexKeys() {
		if x.readers[key] == nil {
			x.readers[key] = map[string]*readers{}
		}
		if x.readers[key][text] == nil {
			x.readers[key][text] = &readers{query, map[types.NamespacedName]bool{}}
		}
		x.readers[key][text].parents[parent] = true
	}
}

func (x *Index) remove(parent types.NamespacedName, query Query) {
	text := query.filterText()
	for _, key := range query.indexKeys() {
		readers := x.readers[key][text]
		if readers == nil {
			continue
		}
		delete(readers.parents, parent)
		if len(readers.parents) == 0 {
			delete(x.readers[key], text)
		}
		if len(x.readers[key]) == 0 {
			delete(x.readers, key)
		}
	}
}

// indexKeys returns the keys under which the index has the query.
func (q Query) indexKeys() []indexKey {
	var all []indexKey
	for _, namespace := range q.Namespaces {
		if q.selector() == nil {
			for _, name := range q.Names {
				all = append(all, indexKey{namespace: namespace, name: name})
			}
			continue
		}
		if len(q.Fields) > 0 {
			_, values := q.IndexedFields()
			all = append(all, indexKey{namespace: namespace, values: values})
			continue
		}
		for _, label := range neededLabels(q.Selector) {
			all = append(all, indexKey{namespace: namespace, label: label})
		}
	}
	return all
}

// neededLabels returns labels of which an object that a selector matches has one. An empty label is
// one that every object has.
func neededLabels(selector labels.Selector) []label {
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		switch requirement.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			var needed []label
			for value := range requirement.Values() {
				needed = append(needed, label{requirement.Key(), value})
			}
			return needed
		}
	}
	return []label{{}}
}
