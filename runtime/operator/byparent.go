package operator

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byParent is the index of a cache by the UID of the parent, so that finding the
// children of one costs the same whatever else the cache holds; and by the name of
// the parent, as the annotation has it where that tells whose a child is.
const byParent = "parent"

// indexed has the cache index a kind of children by their parents. It returns how
// those of one parent are found.
func (o *offspring) indexed(scheme *runtime.Scheme, k kind) (func(string) ([]client.Object, error), error) {
	informer, err := o.GetInformer(context.Background(), k.cached, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	shared, ok := informer.(toolscache.SharedIndexInformer)
	if !ok {
		return o.listed(scheme, k)
	}
	index := func(object any) ([]string, error) { return o.index(object.(client.Object)), nil }
	return ofIndex(shared), shared.AddIndexers(toolscache.Indexers{byParent: index})
}

// ofIndex reads an informer's own index, which takes a third of the memory of the
// index of a controller-runtime cache, and no copies.
func ofIndex(informer toolscache.SharedIndexInformer) func(string) ([]client.Object, error) {
	return func(parent string) ([]client.Object, error) {
		found, err := informer.GetIndexer().ByIndex(byParent, parent)
		children := make([]client.Object, len(found))
		for i, object := range found {
			children[i] = object.(client.Object)
		}
		return children, err
	}
}

// listed is indexed for a cache that is limited to a namespace, which has no
// informer of a kind to be asked.
func (o *offspring) listed(scheme *runtime.Scheme, k kind) (func(string) ([]client.Object, error), error) {
	empty, err := newList(scheme, k)
	if err != nil {
		return nil, fmt.Errorf("list of %s: %w", k.Kind, err)
	}
	of := func(parent string) ([]client.Object, error) {
		list := empty.DeepCopyObject().(client.ObjectList)
		if err := o.List(context.Background(), list, client.MatchingFields{byParent: parent}, client.UnsafeDisableDeepCopy); err != nil {
			return nil, err
		}
		return itemsOf(list)
	}
	return of, o.IndexField(context.Background(), k.cached, byParent, o.index)
}

func (o *offspring) index(object client.Object) []string {
	parent, ok := o.parentOf(object)
	if !ok {
		return nil
	}
	if named := o.keys.Named(object); named != "" {
		return []string{string(parent.UID), named}
	}
	return []string{string(parent.UID)}
}
