package reconcile

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Sync may ask which children are outdated: made from another desired state than it desires. What it
// desires is known once it has answered. So it is told what is true of its last answer. If it has
// asked, and something else is true of the new answer, it is called once more before anything of that
// is carried out. That happens when the desired state changes, and in the first reconcile of a process.

// outdated are the UIDs of the outdated children of a parent. It is empty until the author's code asks.
type outdated map[types.UID]bool

// outdatedNames are names of outdated children by kind, as a snapshot knows them.
type outdatedNames map[*childKind]map[types.NamespacedName]bool

// namesIn returns the names of the observed children that are outdated.
func (o outdated) namesIn(observed *observed) outdatedNames {
	if len(o) == 0 {
		return nil
	}
	names := outdatedNames{}
	for i, kind := range observed.kinds {
		for _, object := range observed.children[i] {
			if !o[object.GetUID()] || object.GetDeletionTimestamp() != nil {
				continue
			}
			if names[kind] == nil {
				names[kind] = map[types.NamespacedName]bool{}
			}
			names[kind][client.ObjectKeyFromObject(object)] = true
		}
	}
	return names
}

// remove records that a child is as desired; nil: it did not exist.
func (o outdated) remove(object client.Object) {
	if object != nil {
		delete(o, object.GetUID())
	}
}

// recordOutdated records which children are outdated by what Sync desires now. It reports whether Sync
// has asked, and was told otherwise.
func (r *run) recordOutdated(observed *observed, sets []declared.DesiredSet) bool {
	if sets == nil || !r.calls.readsOutdated.Load() {
		return false
	}
	made, _ := r.planner.planChildren(observed, sets) // what is wrong with it is reported when it is applied
	r.state.outdated = outdated{}
	for _, task := range made.tasks {
		if task.Update.Rules().CarriesHash && task.isOutdated() {
			r.state.outdated[task.observed.GetUID()] = true
		}
	}
	return !maps.EqualFunc(r.calls.toldOutdated, r.state.outdated.namesIn(observed), maps.Equal[map[types.NamespacedName]bool])
}
