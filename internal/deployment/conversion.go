package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
)

// checkConversions returns an error for each CRD that stays, has objects, and is converted by a
// Service that a plan takes away. Objects could then not be read in each version, so that garbage
// collection and the deletion of namespaces would stop.
func (c *Cluster) checkConversions(ctx context.Context, plan *RemovalPlan) error {
	var errs []error
	for _, each := range plan.items {
		if !isCRD(each.live) || !needsConversion(each.live) {
			continue
		}
		service := conversionService(each.live)
		if service == nil {
			continue
		}
		stops, err := c.stopsAnswering(ctx, plan, service)
		if err != nil {
			return fmt.Errorf("%s: %w", titleOf(service), err)
		}
		if !stops {
			continue
		}
		data, err := c.count(ctx, each.live)
		if err != nil {
			return err
		}
		if data.Objects > 0 {
			errs = append(errs, fmt.Errorf("%s: it stays, and has objects (%d), which %s converts, and that goes: they could not be read in each version, nor be deleted\n    run opgen uninstall first, or delete the objects",
				each.Title(), data.Objects, titleOf(service)))
		}
	}
	return errors.Join(errs...)
}

// needsConversion reports whether objects of a CRD are read in another version than that in which
// they are stored.
func needsConversion(crd *Object) bool {
	versions := sets.New(storedVersions(crd)...)
	all, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, each := range all {
		version, _ := each.(map[string]any)
		if name, _ := version["name"].(string); version["served"] == true {
			versions.Insert(name)
		}
	}
	return versions.Len() > 1
}

// conversionService returns the Service that converts the objects of a CRD, by its name only, or nil.
func conversionService(crd *Object) *Object {
	strategy, _, _ := unstructured.NestedString(crd.Object, "spec", "conversion", "strategy")
	reference, named, _ := unstructured.NestedMap(crd.Object, "spec", "conversion", "webhook", "clientConfig", "service")
	if strategy != "Webhook" || !named {
		return nil
	}
	namespace, _ := reference["namespace"].(string)
	name, _ := reference["name"].(string)
	service := new(Object)
	service.SetAPIVersion("v1")
	service.SetKind("Service")
	service.SetNamespace(namespace)
	service.SetName(name)
	return service
}

// stopsAnswering reports whether a Service, or a Deployment that it selects, goes.
func (c *Cluster) stopsAnswering(ctx context.Context, plan *RemovalPlan, service *Object) (bool, error) {
	live, err := c.read(ctx, service)
	if err != nil || live == nil {
		return false, err // without it nothing is worse than before
	}
	selector, _, _ := unstructured.NestedStringMap(live.Object, "spec", "selector")
	if plan.going[live.GetNamespace()].Has(live.GetUID()) {
		return true, nil
	}
	return slices.ContainsFunc(plan.items, func(each plannedRemoval) bool {
		pods, _, _ := unstructured.NestedStringMap(each.live.Object, "spec", "template", "metadata", "labels")
		return each.Action == Deleted && each.Namespace == live.GetNamespace() &&
			len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(pods))
	}), nil
}

// storageVersion returns the version in which the API server stores new objects of a CRD.
func storageVersion(crd *Object) string {
	all, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, each := range all {
		version, _ := each.(map[string]any)
		if name, _ := version["name"].(string); version["storage"] == true {
			return name
		}
	}
	return ""
}

// storedVersions returns the versions in which some objects of a CRD may be stored.
func storedVersions(crd *Object) []string {
	versions, _, _ := unstructured.NestedStringSlice(crd.Object, "status", "storedVersions")
	return versions
}
