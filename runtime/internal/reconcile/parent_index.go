package reconcile

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// parentIndex is the index of a cache by the UID of the parent, so that finding the children
// of one parent costs the same however many others the cache holds. It is also an index by
// the name of the parent, for children whose annotation names it.
const parentIndex = "parent"

// addIndex adds the index of a kind of children to the cache. It returns a function that
// lists the children of one parent.
func (c *childCache) addIndex(scheme *runtime.Scheme, k kind) (func(string) ([]client.Object, error), error) {
	informer, err := c.GetInformer(context.Background(), k.cached, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	shared, ok := informer.(toolscache.SharedIndexInformer)
	if !ok {
		return c.addCacheIndex(scheme, k)
	}
	index := func(object any) ([]string, error) { return c.indexKeys(object.(client.Object)), nil }
	return listFromInformer(shared), shared.AddIndexers(toolscache.Indexers{parentIndex: index})
}

// listFromInformer reads an informer's own index, which takes a third of the memory of the
// index of a controller-runtime cache, and no copies.
func listFromInformer(informer toolscache.SharedIndexInformer) func(string) ([]client.Object, error) {
	return func(parent string) ([]client.Object, error) {
		found, err := informer.GetIndexer().ByIndex(parentIndex, parent)
		children := make([]client.Object, len(found))
		for i, object := range found {
			children[i] = object.(client.Object)
		}
		return children, err
	}
}

// addCacheIndex is addIndex for a cache that is limited to a namespace, which has no
// informer of the kind.
func (c *childCache) addCacheIndex(scheme *runtime.Scheme, k kind) (func(string) ([]client.Object, error), error) {
	empty, err := newList(scheme, k)
	if err != nil {
		return nil, fmt.Errorf("list of %s: %w", k.Kind, err)
	}
	of := func(parent string) ([]client.Object, error) {
		list := empty.DeepCopyObject().(client.ObjectList)
		if err := c.List(context.Background(), list, client.MatchingFields{parentIndex: parent}, client.UnsafeDisableDeepCopy); err != nil {
			return nil, err
		}
		return listItems(list)
	}
	return of, c.IndexField(context.Background(), k.cached, parentIndex, c.indexKeys)
}

func (c *childCache) indexKeys(object client.Object) []string {
	parent, ok := c.parentOf(object)
	if !ok {
		return c.lostKeys(object)
	}
	if named := c.keys.ParentName(object); named != "" {
		return []string{string(parent.UID), named}
	}
	return []string{string(parent.UID)}
}

// lostPrefix stands before the UID of a parent in the index of objects that have its label and no
// owner: somebody has taken the owner reference off. An object that still has other owners is not
// among them. A deletion in the foreground takes references off such objects, too.
const lostPrefix = "lost/"

func (c *childCache) lostKeys(object client.Object) []string {
	uid := c.labelUID(object)
	if uid == "" || len(object.GetOwnerReferences()) > 0 || c.keys.ParentName(object) != "" {
		return nil
	}
	return []string{lostPrefix + string(uid)}
}
