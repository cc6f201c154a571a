package deployment

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// discoveryFormat is that of one answer with all groups of the API server, which it has given since
// Kubernetes 1.30.
const discoveryFormat = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// resource is how objects of a kind are asked for.
type resource struct {
	schema.GroupVersionResource
	kind       schema.GroupKind
	namespaced bool
	verbs      []string
}

// resources are what an API server serves.
type resources []resource

// readResources asks the API server what it serves.
func (c *Cluster) readResources(ctx context.Context) error {
	c.resources, c.silent = nil, nil
	for _, path := range []string{"/api", "/apis"} {
		data, err := c.requests.Get().AbsPath(path).SetHeader("Accept", discoveryFormat).DoRaw(ctx)
		if err != nil {
			return err
		}
		var list apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(data, &list); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, group := range list.Items {
			c.resources = c.resources.add(group)
			c.silent = append(c.silent, silentVersions(group)...)
		}
	}
	return nil
}

// add adds the resources of a group, those of the preferred version first.
func (r resources) add(group apidiscovery.APIGroupDiscovery) resources {
	for _, version := range group.Versions {
		for _, found := range version.Resources {
			if found.ResponseKind == nil {
				continue
			}
			r = append(r, resource{
				schema.GroupVersionResource{Group: group.Name, Version: version.Version, Resource: found.Resource},
				schema.GroupKind{Group: group.Name, Kind: found.ResponseKind.Kind},
				found.Scope == apidiscovery.ScopeNamespace, found.Verbs,
			})
		}
	}
	return r
}

// silentVersions returns the versions of a group whose own API server does not answer. Its objects
// exist nevertheless. Those of metrics.k8s.io are measurements.
func silentVersions(group apidiscovery.APIGroupDiscovery) []string {
	var silent []string
	for _, version := range group.Versions {
		if version.Freshness == apidiscovery.DiscoveryFreshnessStale && group.Name != "metrics.k8s.io" {
			silent = append(silent, group.Name+"/"+version.Version)
		}
	}
	return silent
}

// find returns the resource of a kind in one version, or where the version is empty in the preferred
// one.
func (r resources) find(kind schema.GroupKind, version string) (resource, bool) {
	i := slices.IndexFunc(r, func(each resource) bool {
		return each.kind == kind && (version == "" || each.Version == version)
	})
	if i < 0 {
		return resource{}, false
	}
	return r[i], true
}

// access returns the client for an object, in the object's namespace.
func (c *Cluster) access(o *Object) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	found, ok := c.resources.find(kind.GroupKind(), kind.Version)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: the API server does not serve %s of %s\n    install what defines it first",
			titleOf(o), kind.Kind, o.GetAPIVersion())
	case found.namespaced && o.GetNamespace() == "":
		return nil, fmt.Errorf("%s: it has no namespace\n    set one, with namespace: in the kustomization", titleOf(o))
	case found.namespaced:
		return c.objects.Resource(found.GroupVersionResource).Namespace(o.GetNamespace()), nil
	}
	return c.objects.Resource(found.GroupVersionResource), nil
}
