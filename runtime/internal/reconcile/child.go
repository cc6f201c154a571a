package reconcile

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// childKind is a kind of children, or one of the entries that list it.
type childKind struct {
	kind
	declared.ChildKind
	optional *optionalKind // nil: it is always served
	index    int           // in the definition
	applier  apply.Applier
	entries  *kindEntries                                 // that list the kind
	source   consistency.Source                           // shows writes of these children
	parentOf func(client.Object) (ownership.Parent, bool) // of an object of the cache; see identity.go
}

// isServed reports whether the objects of the kind are known. Before that, of the kind no more is known
// than its name.
func (k *childKind) isServed() bool { return k.optional.isServed() }

// healthRules returns the rules by which the children of the kind are ready and have finished.
func (k *childKind) healthRules() health.Rules {
	rules := k.Rules
	rules.LacksStatus = k.isStatusless()
	return rules
}

// child is an object and its kind, which the object itself may not say.
type child struct {
	*childKind
	name            types.NamespacedName
	object          client.Object     // of the cache; nil while it does not exist
	notReady        string            // why Sync says that it is not ready; empty: it says nothing
	isReplaced      bool              // to be deleted, and created again
	keepsDependents bool              // its dependents stay when it is recreated
	waitsFor        string            // why it was not applied, as in "waits for Pod a"; empty if it was
	health          health.Health     // as of an apply in this reconcile; zero without one
	conflict        *backoff.Conflict // why its write is put off; nil when it is not
	altered         []string          // the paths at which admission keeps other values than desired
	isOutdated      bool              // it keeps an earlier desired state until somebody deletes it
	staying         string            // which fields of others stay in a child that was taken over
	isHistory       bool              // it stays although Sync does not desire it
	isApart         bool              // the parent is ready whether it is or not
	keptFields      []fieldpath.Path  // that it keeps since it was adopted as it is, for a test that runs the operator

	whenApplied []func(original any) error // what the author has called, since the child is applied
}

func (kind *childKind) newChild(object client.Object) child {
	return child{childKind: kind, name: client.ObjectKeyFromObject(object), object: object, isApart: kind.NotPartOfReady}
}

func (c child) key() apply.Key { return apply.Key{Kind: c.GroupVersionKind, Name: c.name} }

// isSame reports whether two children are the same object.
func (c child) isSame(other child) bool { return c.object.GetUID() == other.object.GetUID() }

// appendNew appends those of the added children that are not among the others.
func appendNew(children, added []child) []child {
	for _, child := range added {
		if !slices.ContainsFunc(children, child.isSame) {
			children = append(children, child)
		}
	}
	return children
}

// currentHealth returns the health of a child as this reconcile leaves it.
func (c child) currentHealth() health.Health {
	switch {
	case c.waitsFor != "":
		return health.Health{State: health.InProgress, Message: c.waitsFor}
	case c.isReplaced:
		return health.Health{State: health.InProgress, Message: "is being recreated"}
	case c.health != (health.Health{}):
		return c.health
	case c.object == nil:
		return health.Health{State: health.InProgress, Message: "is missing"}
	}
	return c.healthRules().Of(c.object).Unless(c.notReady)
}
