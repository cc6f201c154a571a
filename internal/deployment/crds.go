package deployment

import (
	"context"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ReadCRDs returns all CRDs of the cluster.
func (c *Cluster) ReadCRDs(ctx context.Context) ([]apiextv1.CustomResourceDefinition, error) {
	list, err := c.objects.Resource(apiextv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the CRDs: %w", err)
	}
	crds := make([]apiextv1.CustomResourceDefinition, len(list.Items))
	for i, item := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &crds[i]); err != nil {
			return nil, fmt.Errorf("CRD %s: %w", item.GetName(), err)
		}
	}
	return crds, nil
}

// storedVersionsHint says what to do about a CRD that lacks a version in which a cluster has stored objects.
func storedVersionsHint(crd *Object) string {
	storage := ""
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, item := range versions {
		if version, _ := item.(map[string]any); version["storage"] == true {
			storage, _ = version["name"].(string)
		}
	}
	return "put the version back into the API file, with served: false if no client may use it, or remove it from the cluster: install the release that has both versions, write each object again, then: kubectl patch crd " +
		crd.GetName() + ` --subresource=status --type=merge -p '{"status":{"storedVersions":["` + storage + `"]}}'`
}
