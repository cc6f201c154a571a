package reconcile

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// kindEntries are the entries of the definition that list the same kind of children, each with a set,
// policies and readiness of its own. They share the watch, the cache and the index of the kind, which
// the first of them sets up. A child says by its marks which entry it belongs to; one that does not is
// the first entry's, as a child from before the kind was listed several times.
type kindEntries struct {
	keys  ownership.Keys
	all   []*childKind
	names []string // of the entries, as in the marks; nil if there is one
	list  func(key string) ([]client.Object, error)
}

func (e *kindEntries) add(kind *childKind) {
	e.all = append(e.all, kind)
	if kind.As != "" {
		e.names = append(e.names, kind.As)
	}
}

// isFirst reports whether a kind is not among the entries before it.
func (k *childKind) isFirst() bool { return k.entries.all[0] == k }

// entryOf returns the entry that an object of the kind belongs to.
func (k *childKind) entryOf(object client.Object) *childKind {
	name := k.entries.keys.Entry(object, k.entries.names)
	for _, entry := range k.entries.all {
		if name != "" && entry.As == name {
			return entry
		}
	}
	return k.entries.all[0]
}

// listByParent lists the objects of the cache with a key of the index that belong to the entry; see
// parent_index.go.
func (k *childKind) listByParent(key string) ([]client.Object, error) {
	objects, err := k.entries.list(key)
	if len(k.entries.all) == 1 {
		return objects, err
	}
	return slices.DeleteFunc(objects, func(object client.Object) bool { return k.entryOf(object) != k }), err
}
