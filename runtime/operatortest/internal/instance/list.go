package instance

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MustList is listKind, and fails the test on an error.
func (o *Operator) MustList(kind schema.GroupVersionKind) []client.Object {
	o.T.Helper()
	objects, err := o.listKind(o.T.Context(), kind)
	if err != nil {
		o.T.Fatal(err)
	}
	return objects
}

// listKind returns all objects of a kind, typed if the test's scheme has the type.
func (o *Operator) listKind(ctx context.Context, kind schema.GroupVersionKind) (objects []client.Object, err error) {
	listKind := kind.GroupVersion().WithKind(kind.Kind + "List")
	var list client.ObjectList
	if made, err := o.Client.Scheme().New(listKind); err == nil {
		list = made.(client.ObjectList)
	} else {
		dynamic := new(unstructured.UnstructuredList)
		dynamic.SetGroupVersionKind(listKind)
		list = dynamic
	}
	if err := o.Client.List(ctx, list); err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects, err
}

// ExistingParents reads the parents, or all that the operator knows if there are none, and returns them. It fails
// the test if one that is named does not exist.
func (o *Operator) ExistingParents(parents []client.Object) (existing []client.Object) {
	o.T.Helper()
	for _, parent := range parents {
		if !o.Get(parent) {
			o.T.Fatalf("%s does not exist", o.Describe(parent))
		}
	}
	if len(parents) > 0 {
		return parents
	}
	for _, loop := range o.RunningLoops() {
		for _, name := range loop.Known() {
			parent := loop.Empty.DeepCopyObject().(client.Object)
			parent.SetName(name.Name)
			parent.SetNamespace(name.Namespace)
			if o.Get(parent) {
				existing = append(existing, parent)
			}
		}
	}
	return existing
}
