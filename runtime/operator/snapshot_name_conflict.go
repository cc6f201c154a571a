package operator

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
)

// NameConflict reports whether an object has this name that is not the parent's child. If Get returns no
// child, either there is no such object, or there is a name conflict. It takes names as Get does.
//
// A name that a child has costs nothing. Another one costs a read of its metadata from the API server in
// each reconcile that asks. As for [Snapshot.Outdated], Sync is told what was true in the reconcile
// before, and called once more at once if something else is true: in the end it acts on what is true in
// this reconcile, also after a restart. No reconcile follows when somebody creates or deletes such an
// object. Return RequeueAfter to see that sooner than the next resync.
func (s Snapshot[T]) NameConflict(name string) bool {
	if _, isChild := s.find(name); isChild {
		return false
	}
	key, _ := s.keyOf(name)
	if s.askNameConflict != nil {
		s.askNameConflict(key)
	}
	return s.nameConflicts[key]
}

// WithNameConflicts returns the snapshot in which objects have these names that are not the parent's, for
// tests of Sync. A name may be written as namespace/name.
func (s Snapshot[T]) WithNameConflicts(names ...string) Snapshot[T] {
	conflicts := map[types.NamespacedName]bool{}
	maps.Copy(conflicts, s.nameConflicts)
	for _, name := range names {
		key, _ := s.keyOf(name)
		conflicts[key] = true
	}
	s.nameConflicts = conflicts
	return s
}
