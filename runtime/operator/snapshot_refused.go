package operator

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// Refused returns the error of the last write of the child with this name, if the API
// server has refused it: a quota, a policy, validation, a namespace that is being deleted.
// It is nil once a write succeeds, and after a change of the parent's spec. A child that is no
// longer desired stays refused for ten minutes. Where children of one name live in several
// namespaces, it is the error of the one in the first of these; see [Snapshot.In].
//
// The operator remembers refusals in memory: after a start, a write has to be refused again.
func (s Snapshot[T]) Refused(name string) error {
	isNamed := func(key types.NamespacedName) bool { return key.Name == name }
	keys := slices.SortedFunc(maps.Keys(s.refused), func(a, b types.NamespacedName) int { return strings.Compare(a.Namespace, b.Namespace) })
	if i := slices.IndexFunc(keys, isNamed); i >= 0 {
		return s.refused[keys[i]]
	}
	return nil
}

// Refuse returns the snapshot with a child whose last write was refused, for tests of Sync. The
// name may be written as namespace/name.
func (s Snapshot[T]) Refuse(name string, err error) Snapshot[T] {
	key := types.NamespacedName{Name: name}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		key = types.NamespacedName{Namespace: namespace, Name: name}
	}
	refused := reconcile.Refusals{key: err}
	for other, err := range s.refused {
		refused[other] = err
	}
	s.refused = refused
	return s
}

func (s *Snapshot[T]) setRefused(refused reconcile.Refusals) { s.refused = refused }

// refusedIn returns the refusals of children that lie in a namespace.
func (s Snapshot[T]) refusedIn(namespace string) reconcile.Refusals {
	refused := maps.Clone(s.refused)
	maps.DeleteFunc(refused, func(key types.NamespacedName, _ error) bool { return key.Namespace != namespace })
	return refused
}
