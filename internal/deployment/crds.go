package deployment

import (
	"context"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
