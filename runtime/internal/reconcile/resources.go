package reconcile

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// Nobody writes the status of a custom resource whose kind has no status subresource, as a rule. Such
// a resource is ready when it exists. Discovery says which kinds these are: once when a controller is
// set up, and for an optional kind whenever the operator looks for it.

// listResources returns the resources of the version of a group; none if the API server does not
// serve it.
func listResources(from discovery.ServerResourcesInterface, version schema.GroupVersion) (*metav1.APIResourceList, error) {
	resources, err := from.ServerResourcesForGroupVersion(version.String())
	if apierrors.IsNotFound(err) {
		return new(metav1.APIResourceList), nil
	}
	return resources, err
}

// servesKind reports whether a kind is among the resources of the version of its group.
func servesKind(resources *metav1.APIResourceList, kind string) bool {
	return slices.ContainsFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Kind == kind })
}

// findStatuses records which of the kinds have no status subresource. It asks once for each version of
// a group, and not of Kubernetes' own kinds or of those whose status the cache does not hold.
func findStatuses(from discovery.ServerResourcesInterface, kinds []kind) error {
	known := map[schema.GroupVersion]*metav1.APIResourceList{}
	for _, of := range kinds {
		if _, isMetadata := of.cached.(*metav1.PartialObjectMetadata); isMetadata || health.IsBuiltIn(of.empty) {
			continue
		}
		version := of.GroupVersion()
		if known[version] == nil {
			resources, err := listResources(from, version)
			if err != nil {
				return err
			}
			known[version] = resources
		}
		of.lacksStatus.Store(health.LacksStatus(known[version], of.Kind))
	}
	return nil
}
