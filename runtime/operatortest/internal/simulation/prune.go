package simulation

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// prune removes the children that are neither desired nor kept. Those of a kind that has a child which
// could not be applied stay, and so do those that a history keeps.
func (w *World) prune(tasks []*task, desired []declared.ChildKind, unapplied map[*kind]bool) {
	for i, kind := range w.kinds {
		if unapplied[kind] {
			continue
		}
		var keep []string
		if !kind.PruneOnly {
			keep = desired[i].Fields.Desired.Keep
		}
		undesired := w.undesired(kind, tasks, keep)
		if kind.History != nil {
			kept := reconcile.KeepRuns(slices.Clone(undesired), *kind.History, kind.Rules, kind.IsFinished)
			undesired = slices.DeleteFunc(undesired, func(object client.Object) bool { return slices.Contains(kept, object) })
		}
		for _, object := range undesired {
			delete(kind.children, w.nameOf(object))
		}
	}
}

// undesired returns the children of a kind that are neither desired nor kept, the oldest first.
func (w *World) undesired(kind *kind, tasks []*task, keep []string) []client.Object {
	var undesired []client.Object
	for name, child := range kind.children {
		isDesired := slices.ContainsFunc(tasks, func(t *task) bool { return t.kind == kind && t.name == name })
		isKept := slices.Contains(keep, name.String()) || name.Namespace == w.Namespace && slices.Contains(keep, name.Name)
		if !isDesired && !isKept {
			undesired = append(undesired, child.object)
		}
	}
	slices.SortFunc(undesired, func(a, b client.Object) int {
		return slices.Compare([]string{string(a.GetUID())}, []string{string(b.GetUID())})
	})
	return undesired
}
