package reconcile

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// parentIndex is the index of a cache by the parent, so that finding the children of one parent
// costs the same however many others the cache holds. An object has up to two of these keys:
//
//	childrenOf(parent)   it is a child of the parent
//	copiesFor(parent)    it is a copy of one
//	parent.String()      its annotation names the parent, whatever the UID in its label
const parentIndex = "parent"

func childrenOf(parent ownership.Parent) string {
	return string(parent.UID) + " " + parent.Name.String()
}

func copiesFor(parent ownership.Parent) string { return "copies " + childrenOf(parent) }

// addIndex adds the index of a kind of children to the cache. It returns a function that
// lists the objects with a key of the index, and one that reports whether the cache has the kind.
func (c *childCache) addIndex(scheme *runtime.Scheme, k kind) (list func(string) ([]client.Object, error), hasSynced func() bool, err error) {
	informer, err := c.GetInformer(context.Background(), k.cached, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, nil, err
	}
	shared, ok := informer.(toolscache.SharedIndexInformer)
	if !ok {
		list, err = c.addCacheIndex(scheme, k)
		return list, informer.HasSynced, err
	}
	index := func(object any) ([]string, error) { return c.indexKeys(k.GroupKind(), object.(client.Object)), nil }
	return listFromInformer(shared), informer.HasSynced, shared.AddIndexers(toolscache.Indexers{parentIndex: index})
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
	return of, c.IndexField(context.Background(), k.cached, parentIndex, func(object client.Object) []string { return c.indexKeys(k.GroupKind(), object) })
}

func (c *childCache) indexKeys(kind schema.GroupKind, object client.Object) (keys []string) {
	parent, ok := c.markedParent(kind, object)
	switch {
	case !ok:
		return c.lostKeys(object)
	case ownership.IsMarkedCopy(object):
		return []string{copiesFor(parent)}
	default:
		keys = append(keys, childrenOf(parent))
	}
	if named := c.keys.ParentName(object); named != "" {
		keys = append(keys, named)
	}
	return keys
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
