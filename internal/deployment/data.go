package deployment

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

// pageSize is how many objects one request lists.
const pageSize = 500

// Data are the objects of a CRD in a cluster, which are deleted with it.
type Data struct {
	CRD        string   `json:"crd"`
	Kind       string   `json:"kind"`
	Objects    int      `json:"objects"`
	Namespaces int      `json:"namespaces"` // that have some
	Finalizers []string `json:"finalizers"` // of any of them, sorted
	Held       int      `json:"held"`       // how many have a finalizer
}

// Count returns what would be deleted with each of the CRDs that exist in the cluster.
func (c *Cluster) Count(ctx context.Context, crds []*Object) ([]Data, error) {
	var all []Data
	for _, crd := range crds {
		if !isCRD(crd) {
			continue
		}
		exists, err := c.exists(ctx, crd)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", titleOf(crd), err)
		}
		if !exists {
			continue
		}
		data, err := c.count(ctx, crd)
		if err != nil {
			return nil, fmt.Errorf("count the objects of %s: %w", crd.GetName(), err)
		}
		all = append(all, data)
	}
	return all, nil
}

func (c *Cluster) exists(ctx context.Context, o *Object) (bool, error) {
	client, err := c.access(o)
	if err != nil {
		return false, err
	}
	_, err = client.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *Cluster) count(ctx context.Context, crd *Object) (Data, error) {
	kind := groupKindOfCRD(crd)
	data := Data{CRD: crd.GetName(), Kind: kind.Kind}
	found, served := c.resources.find(kind, "")
	if !served {
		return data, nil // it is not established, or is being deleted: nobody can read its objects
	}
	namespaces, finalizers := sets.New[string](), sets.New[string]()
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := c.objects.Resource(found.GroupVersionResource).List(ctx, options)
		if err != nil {
			return data, err
		}
		data.Objects += len(page.Items)
		for _, object := range page.Items {
			namespaces.Insert(object.GetNamespace())
			if held := object.GetFinalizers(); len(held) > 0 {
				data.Held++
				finalizers.Insert(held...)
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
	}
	namespaces.Delete("")
	data.Namespaces, data.Finalizers = namespaces.Len(), sets.List(finalizers)
	return data, nil
}

// crdNamed returns an object by which a CRD is asked for.
func crdNamed(name string) *Object {
	crd := &unstructured.Unstructured{Object: map[string]any{}}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName(name)
	return crd
}
