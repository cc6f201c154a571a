package deployment

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

	Kept string `json:"kept,omitempty"` // why the CRD stays, if it does

	uid types.UID // of the CRD
}

// isOfConversion reports whether the API server could not convert an object: no webhook answers, or it refuses.
func isOfConversion(err error) bool {
	return err != nil && strings.Contains(err.Error(), "conversion webhook for ")
}

// Count returns what would be deleted with each of the CRDs that exist in the cluster. A CRD that
// neither Apply nor kubectl apply has put there is kept.
func (c *Cluster) Count(ctx context.Context, crds []*Object) ([]Data, error) {
	var all []Data
	for _, crd := range crds {
		if !isCRD(crd) {
			continue
		}
		live, err := c.read(ctx, crd)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", titleOf(crd), err)
		}
		if live == nil {
			continue
		}
		data, err := c.count(ctx, live)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// read returns an object as it is in the cluster, or nil if it does not exist.
func (c *Cluster) read(ctx context.Context, o *Object) (*Object, error) {
	kind := o.GroupVersionKind()
	if _, served := c.resources.find(kind.GroupKind(), kind.Version); !served {
		return nil, nil // there can be none
	}
	client, err := c.access(o)
	if err != nil {
		return nil, err
	}
	live, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

func (c *Cluster) exists(ctx context.Context, o *Object) (bool, error) {
	live, err := c.read(ctx, o)
	return live != nil, err
}

// count counts the objects of a CRD, as it is in the cluster. It lists them in the version in which
// they are stored, so that it needs no conversion webhook, which may be gone.
func (c *Cluster) count(ctx context.Context, crd *Object) (Data, error) {
	kind := groupKindOfCRD(crd)
	data := Data{CRD: crd.GetName(), Kind: kind.Kind, uid: crd.GetUID()}
	if !isApplied(crd) {
		data.Kept = notApplied
	}
	found, served := c.resources.find(kind, storageVersion(crd))
	if !served {
		found, served = c.resources.find(kind, "")
	}
	if !served {
		return data, nil // it is not established, or is being deleted: nobody can read its objects
	}
	namespaces, finalizers := sets.New[string](), sets.New[string]()
	err := c.list(ctx, found, "", func(o *Object) {
		data.Objects++
		namespaces.Insert(o.GetNamespace())
		if held := o.GetFinalizers(); len(held) > 0 {
			data.Held++
			finalizers.Insert(held...)
		}
	})
	if isOfConversion(err) {
		return data, fmt.Errorf("count the objects of %s: %w\n    if they are stored in several versions, their conversion webhook has to answer: run opgen deploy", crd.GetName(), err)
	}
	if err != nil {
		return data, fmt.Errorf("count the objects of %s: %w", crd.GetName(), err)
	}
	namespaces.Delete("")
	data.Namespaces, data.Finalizers = namespaces.Len(), sets.List(finalizers)
	return data, nil
}

// list visits the objects of a kind in a namespace, or if that is empty in all, page by page.
func (c *Cluster) list(ctx context.Context, kind resource, namespace string, visit func(*Object)) error {
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := c.objects.Resource(kind.GroupVersionResource).Namespace(namespace).List(ctx, options)
		if err != nil {
			return err
		}
		for i := range page.Items {
			visit(&page.Items[i])
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// crdOf returns an object by which the CRD of data is asked for, and deleted.
func crdOf(data Data) *Object {
	crd := new(Object)
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName(data.CRD)
	crd.SetUID(data.uid)
	return crd
}
