package reconcile

import (
	"errors"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// childCache holds the objects that have the label of a controller's children. Of those that are
// no children it holds only the metadata.
type childCache struct {
	cache.Cache
	await      func(schema.GroupVersionKind, bool, func() bool)
	keys       ownership.Keys
	manager    string                        // the field manager of all writes
	parents    map[schema.GroupKind]bool     // the kinds of parents, and whether each is namespaced
	namespaces map[schema.GroupKind][]string // of kinds of children: see ChildKind.Namespaces
	entries    map[schema.GroupVersionKind]*kindEntries
	former     []formerKeys // of operators from which children are taken over
	takesFrom  []string     // the field managers from which fields are taken over
	scheme     *runtime.Scheme
}

// newChildCache adds a cache to the manager that is limited to objects with the
// controller's label, and to the namespaces that children of a kind can lie in.
func newChildCache(mgr manager.Manager, environment *process.Environment, fieldManager string, keys ownership.Keys, limits map[client.Object]cache.ByObject) (*childCache, error) {
	hasLabel, err := labels.NewRequirement(keys.Label, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	c := &childCache{await: environment.Await, keys: keys, manager: fieldManager, parents: map[schema.GroupKind]bool{}, namespaces: map[schema.GroupKind][]string{}, entries: map[schema.GroupVersionKind]*kindEntries{}, scheme: mgr.GetScheme()}
	c.Cache, err = environment.AddCache(mgr, func(o *cache.Options) {
		o.DefaultLabelSelector, o.ByObject = labels.NewSelector().Add(*hasLabel), limits
		o.DefaultTransform = c.dropOthers(o.DefaultTransform)
	})
	return c, err
}

// addKind adds a kind of children, and has the cache index them by their parent once the API server
// serves the kind.
func (c *childCache) addKind(mgr manager.Manager, definition declared.ChildKind) (*childKind, error) {
	isOptional := definition.MayBeUnserved()
	kind, err := newKind(mgr, definition.Object)
	isMissing := isOptional && errors.As(err, new(process.ErrNotServed))
	if err != nil && !isMissing {
		return nil, err
	}
	if definition.Metadata {
		kind = kind.withMetadataOnly()
	}
	definition.Policies = definition.Or(declared.DefaultPolicies)
	c.namespaces[kind.GroupKind()] = definition.Namespaces
	added := &childKind{kind: kind, ChildKind: definition, entries: c.entries[kind.GroupVersionKind]}
	if added.entries == nil {
		added.entries = &kindEntries{keys: c.keys}
		c.entries[kind.GroupVersionKind] = added.entries
	}
	added.entries.add(added)
	added.parentOf = func(object client.Object) (ownership.Parent, bool) { return c.parentOf(kind.GroupKind(), object) }
	added.applier = apply.Applier{
		Client: mgr.GetClient(), LiveReader: mgr.GetAPIReader(), Manager: c.manager, New: kind.newObject, Metadata: definition.Metadata,
		Label: c.keys.Label, CreatedAsKey: c.keys.CreatedAs, ParentOf: c.parentUID, CopiedBy: c.copiedBy, Claims: c.claims, TakeOverFrom: c.takesFrom,
	}
	added.source = consistency.Source{Kind: kind.GroupVersionKind, Cache: c, Empty: kind.cached, Selects: c.selects}
	if !added.isFirst() {
		first := added.entries.all[0]
		added.kind, added.optional = first.kind, first.optional
		return added, nil
	}
	if isOptional {
		added.optional = newOptionalKind(kind)
	}
	if isMissing {
		return added, nil
	}
	hasSynced, err := added.fill(mgr, c)
	if isOptional {
		added.optional.hasSynced = hasSynced
		added.optional.served.Store(true)
	}
	if err == nil {
		c.await(kind.GroupVersionKind, isOptional, hasSynced)
	}
	return added, err
}

// fill has the cache fill with children of a kind that the API server serves, for all entries of it.
func (k *childKind) fill(mgr manager.Manager, c *childCache) (hasSynced func() bool, err error) {
	found, err := newKind(mgr, k.Object)
	if err != nil {
		return nil, err
	}
	for _, entry := range k.entries.all {
		entry.namespaced = found.namespaced
	}
	k.entries.list, hasSynced, err = c.addIndex(mgr.GetScheme(), k.kind)
	return hasSynced, err
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
		claims = append(claims, apply.Claim{Kind: claim.Kind, Name: claim.Name, Label: claim.Label, Annotations: claim.Annotations()})
	}
	return claims
}
