package operatortest

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Children returns the children of a parent at the API server, of all kinds that its controller
// creates, in the order of the kinds. They are typed if the test's scheme has the type.
func (c *Cluster) Children(parent client.Object) []client.Object {
	c.t.Helper()
	if !c.Get(parent) {
		c.t.Fatalf("%s does not exist", describeObject(c.Client, parent))
	}
	var children []client.Object
	for _, loop := range loopsOf(c, parent) {
		for _, kind := range loop.Children {
			for _, object := range mustList(c, kind) {
				if owner, _ := loop.ParentOf(object); owner == parent.GetUID() {
					children = append(children, object)
				}
			}
		}
	}
	return children
}

// ChildrenOf returns the children of a parent that are of one kind; see [Cluster.Children].
func ChildrenOf[T client.Object](c *Cluster, parent client.Object) []T {
	c.t.Helper()
	var children []T
	for _, child := range c.Children(parent) {
		if child, ok := child.(T); ok {
			children = append(children, child)
		}
	}
	return children
}

// mustList is listKind, and fails the test on an error.
func mustList(c *Cluster, kind schema.GroupVersionKind) []client.Object {
	c.t.Helper()
	objects, err := listKind(c, c.t.Context(), kind)
	if err != nil {
		c.t.Fatal(err)
	}
	return objects
}

// listKind returns all objects of a kind, typed if the test's scheme has the type.
func listKind(c *Cluster, ctx context.Context, kind schema.GroupVersionKind) (objects []client.Object, err error) {
	listKind := kind.GroupVersion().WithKind(kind.Kind + "List")
	var list client.ObjectList
	if made, err := c.Client.Scheme().New(listKind); err == nil {
		list = made.(client.ObjectList)
	} else {
		dynamic := new(unstructured.UnstructuredList)
		dynamic.SetGroupVersionKind(listKind)
		list = dynamic
	}
	if err := c.Client.List(ctx, list); err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects, err
}
