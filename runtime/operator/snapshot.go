package operator

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// Snapshot holds the children of one kind as a reconcile observed them, or the
// related objects of one entry. What it gives out are copies that the caller may
// change. The zero value is empty.
//
// The snapshot of a namespaced parent's children is that of its namespace, and [Snapshot.In]
// returns that of another one. The snapshot of a cluster-scoped parent's children holds all of
// them; it takes names in the form namespace/name, unless the kind is cluster-scoped. A snapshot
// of related objects holds all that the entry selects. If the spec file has the entry select from
// more than one namespace, by a list, by All, by a path or by dynamic, it takes names in the form
// namespace/name, too.
type Snapshot[T client.Object] struct {
	items     []T    // of all namespaces, sorted; the cache's own objects, so never given out
	namespace string // the one that is shown; AllNamespaces: all
	rules     health.Rules
	read      *atomic.Bool // set at the first look; nil: nobody asks
	refused   declared.Refusals

	outdated     map[types.NamespacedName]bool
	readOutdated *atomic.Bool // set when Outdated is called; nil: nobody asks

	nameConflicts   map[types.NamespacedName]bool
	askNameConflict func(types.NamespacedName) // called by NameConflict; nil: nobody asks

	generatedTokens func(client.Object) map[string]string // of a Secret; nil: a test made the snapshot
	isUnserved      bool                                  // the API server does not serve the kind

	desired    map[types.NamespacedName]string // see [declared.View]
	isObserved bool                            // an operator made the snapshot, and no test
}

// NewSnapshot makes a snapshot of the given objects, for tests of Sync. If all
// are in one namespace, it is the snapshot of that. If they are in several, it is
// that of a cluster-scoped parent, and In returns that of a parent in a namespace.
func NewSnapshot[T client.Object](objects ...T) Snapshot[T] {
	snapshot := Snapshot[T]{items: slices.Clone(objects)}
	sortItems(snapshot.items)
	if len(objects) > 0 {
		snapshot.namespace = objects[0].GetNamespace()
	}
	if slices.ContainsFunc(objects, func(object T) bool { return object.GetNamespace() != snapshot.namespace }) {
		snapshot.namespace = AllNamespaces
	}
	return snapshot
}

// ReadyWhen returns the snapshot with another notion of when a child is ready, as
// a kind has whose spec file says readyWhen. It is for tests of Sync, which find it
// in package operatortest.
func (s Snapshot[T]) ReadyWhen(rule func(client.Object) (bool, error)) Snapshot[T] {
	s.rules.ReadyWhen = rule
	return s
}

// FinishedWhen returns the snapshot with another notion of when a child has finished, as a kind has whose
// spec file says finishedWhen. It is for tests of Sync, as ReadyWhen is.
func (s Snapshot[T]) FinishedWhen(rule func(client.Object) (bool, error)) Snapshot[T] {
	s.rules.FinishedWhen = rule
	return s
}

// Where returns the snapshot of those objects for which the function returns true. It otherwise is
// like this one: it shows the same namespace and has the same rule for readiness, the same refusals
// and the same Served. The function gets copies.
func (s Snapshot[T]) Where(has func(T) bool) Snapshot[T] {
	s.recordRead()
	var selected []T
	for _, item := range s.items {
		if has(reconcile.CopyObject(item).(T)) {
			selected = append(selected, item)
		}
	}
	s.items = selected
	return s
}

// Served reports whether the API server serves the kind, which may be false for a kind with
// optional in the spec file. The snapshot is empty then.
func (s Snapshot[T]) Served() bool { return !s.isUnserved }

// NotServed returns the snapshot of a kind that the API server does not serve, for tests of Sync.
func (s Snapshot[T]) NotServed() Snapshot[T] {
	return Snapshot[T]{namespace: s.namespace, isUnserved: true}
}

// Get returns the child with this name, or with this namespace/name. It panics if the name
// needs a namespace; see [Snapshot].
func (s Snapshot[T]) Get(name string) (child T, ok bool) {
	i, ok := s.find(name)
	if !ok {
		return child, false
	}
	return reconcile.CopyObject(s.items[i]).(T), true
}

// In returns the snapshot of another namespace, or of all for [AllNamespaces].
func (s Snapshot[T]) In(namespace string) Snapshot[T] {
	s.namespace = namespace
	return s
}

// All yields every child, ordered by namespace and then name.
func (s Snapshot[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, item := range s.inNamespace() {
			if !yield(reconcile.CopyObject(item).(T)) {
				return
			}
		}
	}
}

// Len returns the number of children.
func (s Snapshot[T]) Len() int { return len(s.inNamespace()) }

// find returns the index of the object with this name.
func (s Snapshot[T]) find(name string) (int, bool) {
	s.recordRead()
	key, isComplete := s.keyOf(name)
	i, ok := slices.BinarySearchFunc(s.items, [2]string{key.Namespace, key.Name}, compareNames)
	if !ok && !isComplete {
		panic(fmt.Sprintf("the name %q needs a namespace: the snapshot holds objects of several; write namespace/name, or select a namespace with In", name))
	}
	return i, ok
}

// keyOf returns the namespace and name that a name means. It reports false if the name lacks a
// namespace, unless the kind is cluster-scoped.
func (s Snapshot[T]) keyOf(name string) (types.NamespacedName, bool) {
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		return types.NamespacedName{Namespace: namespace, Name: name}, true
	}
	if s.namespace == AllNamespaces {
		return types.NamespacedName{Name: name}, false
	}
	return types.NamespacedName{Namespace: s.namespace, Name: name}, true
}

// inNamespace returns the objects of the snapshot's namespace.
func (s Snapshot[T]) inNamespace() []T {
	s.recordRead()
	if s.namespace == AllNamespaces {
		return s.items
	}
	begin, _ := slices.BinarySearchFunc(s.items, [2]string{s.namespace}, compareNames)
	end, _ := slices.BinarySearchFunc(s.items, [2]string{s.namespace + "\x00"}, compareNames)
	return s.items[begin:end]
}

// recordRead records that the author's code has looked at the snapshot.
func (s Snapshot[T]) recordRead() {
	if s.read != nil {
		s.read.Store(true)
	}
}

// observe fills the snapshot with what a reconcile observed.
func (s *Snapshot[T]) observe(view declared.View) {
	items := make([]T, len(view.Objects))
	for i, object := range view.Objects {
		items[i] = object.(T)
	}
	sortItems(items)
	*s = Snapshot[T]{
		items: items, namespace: view.Namespace, rules: view.Rules, read: view.Read, isUnserved: !view.IsServed,
		generatedTokens: view.GeneratedTokens, outdated: view.Outdated, readOutdated: view.OutdatedRead,
		nameConflicts: view.NameConflicts, askNameConflict: view.AskNameConflict, desired: view.Desired, isObserved: true,
	}
}

func sortItems[T client.Object](items []T) {
	slices.SortFunc(items, func(a, b T) int { return compareNames(a, [2]string{b.GetNamespace(), b.GetName()}) })
}

// compareNames compares an object with a namespace and a name.
func compareNames[T client.Object](object T, name [2]string) int {
	return cmp.Or(cmp.Compare(object.GetNamespace(), name[0]), cmp.Compare(object.GetName(), name[1]))
}
