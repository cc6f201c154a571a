package operator

import (
	"cmp"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// childKind is a kind of children, with what the author says of it.
type childKind struct {
	kind
	ChildKind
	applier apply.Applier
	written consistency.Source                           // where writes of these children are seen
	of      func(parent string) ([]client.Object, error) // those that the cache holds, not to be changed; see byParent
}

// offspring are the children of a controller's parents, in a cache that holds
// nothing else.
type offspring struct {
	cache.Cache
	keys    ownership.Keys
	parents map[schema.GroupKind]bool // whether each lies in namespaces
}

// newOffspring makes the cache. It is limited to objects that carry the
// controller's label, whatever else there is of their kinds.
func newOffspring(mgr Manager, environment *process.Environment, controller string, keys ownership.Keys) (*offspring, error) {
	labelled, err := labels.NewRequirement(keys.Label, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	added, err := environment.AddCache(mgr, "children-of-"+controller, labels.NewSelector().Add(*labelled))
	return &offspring{Cache: added, keys: keys, parents: map[schema.GroupKind]bool{}}, err
}

// parentOf returns the parent of an object of the cache, if it is a child.
func (o *offspring) parentOf(object client.Object) (ownership.Parent, bool) {
	return o.keys.Of(object, o.parents)
}

// add adds a kind of children and has the cache index them by their parent.
func (o *offspring) add(mgr Manager, described ChildKind, manager string) (*childKind, error) {
	known, err := newKind(mgr, described.Object)
	if err != nil {
		return nil, err
	}
	if described.Metadata {
		known = known.metadataOnly()
	}
	described.Update = cmp.Or(described.Update, InPlace)
	described.Adopt = cmp.Or(described.Adopt, AdoptNever)
	described.WhenDropped = cmp.Or(described.WhenDropped, Delete)
	described.WhenDeleted = cmp.Or(described.WhenDeleted, Delete)
	described.WhenImmutable = cmp.Or(described.WhenImmutable, FailIfImmutable)
	child := &childKind{kind: known, ChildKind: described}
	child.applier = apply.Applier{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Manager: manager, New: known.new, Metadata: described.Metadata, Label: o.keys.Label, ParentOf: o.parentUID, Claims: o.claims}
	child.written = consistency.Source{Kind: known.GroupVersionKind, Cache: o, Empty: known.cached, Holds: o.holds}
	child.of, err = o.indexed(mgr.GetScheme(), known)
	return child, err
}

// parentUID returns the UID of an object's parent, and a name for messages.
func (o *offspring) parentUID(object client.Object) (types.UID, string) {
	parent, ok := o.parentOf(object)
	if !ok {
		return "", ""
	}
	return parent.UID, parent.Kind.Kind + " " + parent.Name.Name
}

// holds tells whether the cache is limited to objects like this one.
func (o *offspring) holds(object client.Object) bool {
	_, labelled := object.GetLabels()[o.keys.Label]
	return labelled
}

// claims are those that other controllers have to an object.
func (o *offspring) claims(object client.Object) (claims []apply.Claim) {
	for _, claim := range ownership.Claims(object, o.keys.Label) {
		claims = append(claims, apply.Claim{Holder: claim.Parent, Label: claim.Label, Annotations: claim.Annotations()})
	}
	return claims
}
