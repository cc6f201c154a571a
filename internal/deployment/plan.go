package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// RemovalPlan is what Remove does.
type RemovalPlan struct {
	Changes    []Change    // what becomes of the objects of the manifests that exist, in the order of Remove
	Dependents []Dependent // what goes with them, sorted by namespace, kind and name

	items   []plannedRemoval
	kinds   sets.Set[schema.GroupKind]  // that the CRDs of the manifests define
	storage map[schema.GroupKind]string // the versions in which the objects of these are stored

	going map[string]sets.Set[types.UID] // what goes, by namespace
}

// Dependent is an object that no manifest names, and that goes because all of its owners go.
type Dependent struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Data      bool   `json:"data"` // it may hold data: it is no Pod, nor what makes Pods
}

// Title names the object: its kind, its namespace and its name.
func (d Dependent) Title() string { return title(d.Kind, d.Namespace, d.Name) }

// plannedRemoval is what becomes of an object as it is in the cluster.
type plannedRemoval struct {
	Change
	live *Object
}

// PlanRemoval returns what Remove does with the objects of a project's manifests. It writes nothing.
//
// What may hold users' data stays: CRDs, objects of their kinds, PersistentVolumeClaims and
// PersistentVolumes. So does what neither Apply nor kubectl apply has put into the cluster. A
// namespace goes only if Apply has created it for the project, and everything in it goes: an object
// goes that the manifests name, or whose owners all go.
//
// The error says what would lose its data or stop working without what goes.
func (c *Cluster) PlanRemoval(ctx context.Context, objects []*Object, project string) (*RemovalPlan, error) {
	plan := &RemovalPlan{kinds: sets.New[schema.GroupKind](), storage: map[schema.GroupKind]string{}, going: map[string]sets.Set[types.UID]{}}
	for _, object := range objects {
		if isCRD(object) {
			plan.kinds.Insert(groupKindOfCRD(object))
		}
	}
	for _, object := range slices.Backward(objects) {
		live, err := c.read(ctx, object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", titleOf(object), err)
		}
		if live == nil {
			continue
		}
		if isCRD(live) {
			plan.storage[groupKindOfCRD(live)] = storageVersion(live)
		}
		change := changeOf(live, Deleted, "")
		if reason := reasonToKeep(live, plan.kinds, project); reason != "" {
			change = changeOf(live, Kept, reason)
		}
		plan.items = append(plan.items, plannedRemoval{Change: change, live: live})
	}
	if err := errors.Join(c.planNamespaces(ctx, plan), c.checkConversions(ctx, plan)); err != nil {
		return nil, err
	}
	for _, each := range plan.items {
		plan.Changes = append(plan.Changes, each.Change)
	}
	return plan, nil
}

// reasonToKeep says why an object of the manifests stays, whatever else there is.
func reasonToKeep(o *Object, kinds sets.Set[schema.GroupKind], project string) string {
	switch {
	case isCRD(o):
		return "it has the users' objects"
	case holdsUsersData(o.GroupVersionKind().GroupKind(), kinds):
		return "it may hold users' data"
	case isNamespace(o) && !isOwnNamespace(o, project):
		return "opgen deploy did not create it"
	case !isApplied(o):
		return notApplied
	}
	return ""
}

// holdsUsersData reports whether objects of a kind always stay. kinds are those of the project.
func holdsUsersData(kind schema.GroupKind, kinds sets.Set[schema.GroupKind]) bool {
	return kinds.Has(kind) || kind == schema.GroupKind{Kind: "PersistentVolumeClaim"} || kind == schema.GroupKind{Kind: "PersistentVolume"}
}

// notApplied says of an object that isApplied is false.
const notApplied = "neither opgen nor kubectl apply put it there"

// isApplied reports whether Apply or kubectl apply has written an object. If nobody owns a field of it,
// as of a ServiceAccount without labels, it counts as applied.
func isApplied(o *Object) bool {
	return len(o.GetManagedFields()) == 0 || slices.ContainsFunc(o.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == kubectlManager && entry.Operation == metav1.ManagedFieldsOperationApply || entry.Manager == clientSideManager
	})
}

// planNamespaces plans, in each namespace, what goes with the objects that go, and whether the
// namespace goes.
func (c *Cluster) planNamespaces(ctx context.Context, plan *RemovalPlan) error {
	var errs []error
	for _, namespace := range plan.namespaces() {
		content, err := c.readContent(ctx, namespace, plan.storage)
		if err != nil {
			return fmt.Errorf("namespace %s: %w", namespace, err)
		}
		planned := uidsOf(plan.items, namespace)
		going := content.going(plan.kinds, planned)
		plan.going[namespace] = going
		plan.Dependents = append(plan.Dependents, content.dependents(going.Difference(planned))...)
		plan.keepIfLeft(namespace, content.left(going))
		errs = append(errs, content.checkCollected(plan.kinds, going))
	}
	return errors.Join(errs...)
}

// namespaces returns the namespaces of the manifests, and those from which objects go that may own
// others, sorted.
func (p *RemovalPlan) namespaces() []string {
	names := sets.New[string]()
	for _, each := range p.items {
		switch {
		case isNamespace(each.live):
			names.Insert(each.Name)
		case each.Action == Deleted && each.Namespace != "" && each.Kind != "Role" && each.Kind != "RoleBinding":
			names.Insert(each.Namespace)
		}
	}
	return sets.List(names)
}

// keepIfLeft keeps a namespace if something is left in it.
func (p *RemovalPlan) keepIfLeft(namespace string, left []string) {
	for i, each := range p.items {
		if isNamespace(each.live) && each.Name == namespace && each.Action == Deleted && len(left) > 0 {
			p.items[i].Change = changeOf(each.live, Kept, "it has "+enumerate(left))
		}
	}
}
