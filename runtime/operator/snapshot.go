package operator

import (
	"cmp"
	"iter"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// Snapshot holds the children of one kind as a reconcile observed them, ordered by
// name and then namespace. What it gives out are copies that the caller may
// change. The zero value is empty.
type Snapshot[T client.Object] struct {
	items     []T // sorted; the cache's own objects, so never given out
	readyWhen reconcile.ReadyRule
	refused   reconcile.Refusals
}

// NewSnapshot makes a snapshot of the given objects, for tests of Sync.
func NewSnapshot[T client.Object](objects ...T) Snapshot[T] {
	items := slices.Clone(objects)
	slices.SortFunc(items, func(a, b T) int {
		return cmp.Or(cmp.Compare(a.GetName(), b.GetName()), cmp.Compare(a.GetNamespace(), b.GetNamespace()))
	})
	return Snapshot[T]{items: items}
}

// ReadyWhen returns the snapshot with another notion of when a child is ready, as
// a kind has whose spec file says readyWhen. It is for tests of Sync, which find it
// in package operatortest.
func (s Snapshot[T]) ReadyWhen(rule func(client.Object) (bool, error)) Snapshot[T] {
	s.readyWhen = rule
	return s
}

// Get returns the child with this name. Where children of one name live in
// several namespaces, it is the one in the first of these; see [Snapshot.In].
func (s Snapshot[T]) Get(name string) (child T, ok bool) {
	i, ok := s.find(name)
	if !ok {
		return child, false
	}
	return reconcile.CopyObject(s.items[i]).(T), true
}

// In returns the part of the snapshot that lies in this namespace.
func (s Snapshot[T]) In(namespace string) Snapshot[T] {
	var items []T
	for _, item := range s.items {
		if item.GetNamespace() == namespace {
			items = append(items, item)
		}
	}
	return Snapshot[T]{items, s.readyWhen, s.refusedIn(namespace)}
}

// All yields every child, in order.
func (s Snapshot[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, item := range s.items {
			if !yield(reconcile.CopyObject(item).(T)) {
				return
			}
		}
	}
}

// Len returns the number of children.
func (s Snapshot[T]) Len() int { return len(s.items) }

// Ready reports whether the child with this name exists and is healthy: a
// Deployment is rolled out, a Pod is ready, a Job is complete, a custom
// resource has Ready=True, and what has no notion of health exists; unless the
// spec file says readyWhen.
func (s Snapshot[T]) Ready(name string) bool {
	i, ok := s.find(name)
	return ok && reconcile.HealthOf(s.readyWhen, s.items[i]).State == health.Ready
}

func (s Snapshot[T]) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.items, name, func(item T, name string) int {
		return cmp.Compare(item.GetName(), name)
	})
}
