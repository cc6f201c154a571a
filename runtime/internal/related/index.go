package related

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Index knows which parents read which objects of one kind. It is safe for concurrent use. Finding
// the readers of an object costs one lookup for queries by name, and one comparison for each
// different query by labels.
type Index struct {
	mu       sync.RWMutex
	named    map[types.NamespacedName]parents // by the object that they read
	queries  map[string]*readers              // by the query's key
	byParent map[types.NamespacedName][]Query // by parent
}

type parents map[types.NamespacedName]bool

type readers struct {
	query   Query
	parents parents
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{
		named:    map[types.NamespacedName]parents{},
		queries:  map[string]*readers{},
		byParent: map[types.NamespacedName][]Query{},
	}
}

// Set replaces the queries of a parent.
func (x *Index) Set(parent types.NamespacedName, queries []Query) {
	queries = slices.DeleteFunc(slices.Clone(queries), Query.isEmpty)
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
	found := parents{}
	for parent := range x.named[client.ObjectKeyFromObject(object)] {
		found[parent] = true
	}
	for _, readers := range x.queries {
		if !readers.query.Matches(object) {
			continue
		}
		for parent := range readers.parents {
			found[parent] = true
		}
	}
	names := make([]types.NamespacedName, 0, len(found))
	for parent := range found {
		names = append(names, parent)
	}
	return names
}

func (x *Index) add(parent types.NamespacedName, query Query) {
	if objects, ok := query.namedObjects(); ok {
		for _, object := range objects {
			if x.named[object] == nil {
				x.named[object] = parents{}
			}
			x.named[object][parent] = true
		}
		return
	}
	key := query.key()
	if x.queries[key] == nil {
		x.queries[key] = &readers{query, parents{}}
	}
	x.queries[key].parents[parent] = true
}

func (x *Index) remove(parent types.NamespacedName, query Query) {
	if objects, ok := query.namedObjects(); ok {
		for _, object := range objects {
			delete(x.named[object], parent)
			if len(x.named[object]) == 0 {
				delete(x.named, object)
			}
		}
		return
	}
	key := query.key()
	readers := x.queries[key]
	if readers == nil {
		return
	}
	delete(readers.parents, parent)
	if len(readers.parents) == 0 {
		delete(x.queries, key)
	}
}

// namedObjects returns the names of the objects of a query. It reports false if the query does not
// name them all.
func (q Query) namedObjects() ([]types.NamespacedName, bool) {
	if len(q.Names) == 0 || slices.Contains(q.Namespaces, AllNamespaces) {
		return nil, false
	}
	var objects []types.NamespacedName
	for _, namespace := range q.Namespaces {
		for _, name := range q.Names {
			objects = append(objects, types.NamespacedName{Namespace: namespace, Name: name})
		}
	}
	return objects, true
}
