package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Removal says what Remove removes.
type Removal struct {
	Project string        // whose namespace goes, too, if nothing else is in it
	Timeout time.Duration // how long the Pods may take to end
	DryRun  bool
}

// Remove deletes objects, the last first, and returns what became of those that existed. What may
// hold users' data stays: CRDs, objects of their kinds, PersistentVolumeClaims, and namespaces, but
// for the project's own one if nothing else is left in it.
//
// Deployments go before the roles of their Pods, so that an operator ends its work with its
// permissions.
func (c *Cluster) Remove(ctx context.Context, objects []*Object, r Removal) ([]Change, error) {
	removing := removing{Cluster: c, Removal: r, kinds: sets.New[schema.GroupKind](), planned: objects}
	for _, object := range objects {
		if isCRD(object) {
			removing.kinds.Insert(groupKindOfCRD(object))
		}
	}
	var changes []Change
	var errs []error
	for _, object := range slices.Backward(objects) {
		change, err := removing.remove(ctx, object)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", titleOf(object), err))
		}
		if change.Action != "" {
			changes = append(changes, change)
		}
	}
	return changes, errors.Join(errs...)
}

// removing is one run of Remove.
type removing struct {
	*Cluster
	Removal
	kinds   sets.Set[schema.GroupKind] // of the CRDs
	planned []*Object
}

// remove removes one object. The zero Change stands for an object that does not exist.
func (r removing) remove(ctx context.Context, o *Object) (Change, error) {
	kind := o.GroupVersionKind()
	if _, served := r.resources.find(kind.GroupKind(), kind.Version); !served {
		return Change{}, nil // there can be none
	}
	exists, err := r.exists(ctx, o)
	if err != nil || !exists {
		return Change{}, err
	}
	if reason := r.reasonToKeep(o); reason != "" {
		return changeOf(o, Kept, reason), nil
	}
	if isNamespace(o) {
		return r.removeNamespace(ctx, o)
	}
	if r.DryRun {
		return changeOf(o, Deleted, ""), nil
	}
	return changeOf(o, Deleted, ""), r.removeAndWait(ctx, o)
}

// reasonToKeep says why an object stays, if it does.
func (r removing) reasonToKeep(o *Object) string {
	switch kind := o.GroupVersionKind().GroupKind(); {
	case isCRD(o):
		return "it has the users' objects"
	case r.kinds.Has(kind), kind == schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return "it may hold users' data"
	case isNamespace(o) && !isOwnNamespace(o, r.Project):
		return "it is not the operator's own"
	}
	return ""
}

// removeAndWait deletes an object, and a workload with its Pods before anything else goes.
func (r removing) removeAndWait(ctx context.Context, o *Object) error {
	if o.GetKind() != "Deployment" {
		return r.delete(ctx, o, metav1.DeletePropagationBackground)
	}
	if err := r.delete(ctx, o, metav1.DeletePropagationForeground); err != nil {
		return err
	}
	return r.awaitGone(ctx, o, r.Timeout)
}
