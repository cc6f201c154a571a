package reconcile

import (
	"cmp"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// childCache holds the children of a controller's parents, and nothing else.
type childCache struct {
	cache.Cache
	keys    ownership.Keys
	parents map[schema.GroupKind]bool // the kinds of parents, and whether each is namespaced
}

// newChildCache adds a cache to the manager that is limited to objects with the
// controller's label, and to the namespaces that children of a kind can lie in.
func newChildCache(mgr manager.Manager, environment *process.Environment, controller string, keys ownership.Keys, limits map[client.Object]cache.ByObject) (*childCache, error) {
	hasLabel, err := labels.NewRequirement(keys.Label, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	added, err := environment.AddCache(mgr, "children-of-"+controller, labels.NewSelector().Add(*hasLabel), limits)
	return &childCache{Cache: added, keys: keys, parents: map[schema.GroupKind]bool{}}, err
}

// addKind adds a kind of children, and has the cache index them by their parent.
func (c *childCache) addKind(mgr manager.Manager, definition ChildKind, fieldManager string) (*childKind, error) {
	kind, err := newKind(mgr, definition.Object)
	if err != nil {
		return nil, err
	}
	if definition.Metadata {
		kind = kind.withMetadataOnly()
	}
	definition.Update = cmp.Or(definition.Update, UpdateStrategy(apply.InPlace))
	definition.Adopt = cmp.Or(definition.Adopt, apply.Never)
	definition.WhenDropped = cmp.Or(definition.WhenDropped, deleteChild)
	definition.WhenDeleted = cmp.Or(definition.WhenDeleted, deleteChild)
	definition.WhenImmutable = cmp.Or(definition.WhenImmutable, apply.FailIfImmutable)
	added := &childKind{kind: kind, ChildKind: definition}
	added.applier = apply.Applier{Client: mgr.GetClient(), LiveReader: mgr.GetAPIReader(), Manager: fieldManager, New: kind.newObject, Metadata: definition.Metadata, Label: c.keys.Label, ParentOf: c.parentUID, Claims: c.claims}
	added.source = consistency.Source{Kind: kind.GroupVersionKind, Cache: c, Empty: kind.cached, Selects: c.selects}
	added.listByParent, err = c.addIndex(mgr.GetScheme(), kind)
	return added, err
}

// parentOf returns the parent of an object of the cache. It returns false if the object is
// no child.
func (c *childCache) parentOf(object client.Object) (ownership.Parent, bool) {
	return c.keys.ParentOf(object, c.parents)
}

// parentUID returns the UID of an object's parent, and its name for messages; empty if the
// object is no child.
func (c *childCache) parentUID(object client.Object) (types.UID, string) {
	parent, ok := c.parentOf(object)
	if !ok {
		return "", ""
	}
	return parent.UID, parent.Kind.Kind + " " + parent.Name.Name
}

// labelUID returns the UID of the parent as the label of a child has it.
func (c *childCache) labelUID(child client.Object) types.UID {
	return types.UID(child.GetLabels()[c.keys.Label])
}

// selects reports whether the cache is limited to objects like this one.
func (c *childCache) selects(object client.Object) bool {
	_, hasLabel := object.GetLabels()[c.keys.Label]
	return hasLabel
}

// claims returns the claims of other controllers to an object.
func (c *childCache) claims(object client.Object) (claims []apply.Claim) {
	for _, claim := range ownership.Claims(object, c.keys.Label) {
		claims = append(claims, apply.Claim{Holder: claim.Parent, Label: claim.Label, Annotations: claim.Annotations()})
	}
	return claims
}
