package operator

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// kind is a kind of objects that the API server knows.
type kind struct {
	schema.GroupVersionKind
	namespaced bool
	empty      client.Object

	// Only of children:
	list    client.ObjectList
	update  UpdateStrategy
	adopt   AdoptionPolicy
	retired bool
	index   string // of the cache, by the UID of the parent
	applier apply.Applier
}

func (k kind) new() client.Object { return k.empty.DeepCopyObject().(client.Object) }

// newKind looks a kind up at the API server.
func newKind(mgr Manager, empty client.Object) (kind, error) {
	gvk, err := apiutil.GVKForObject(empty, mgr.GetScheme())
	if err != nil {
		return kind{}, err
	}
	mapping, err := mgr.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return kind{}, fmt.Errorf("the API server does not know kind %s of %s: install its CRD (make install, for a kind of this project)", gvk.Kind, gvk.GroupVersion())
	}
	if err != nil {
		return kind{}, err
	}
	return kind{
		GroupVersionKind: gvk,
		namespaced:       mapping.Scope.Name() == meta.RESTScopeNameNamespace,
		empty:            empty,
	}, nil
}

// addKind adds a kind of children and has the cache index them by their owner.
func (l *loop) addKind(mgr Manager, described ChildKind) error {
	child, err := newKind(mgr, described.Object)
	if err != nil {
		return err
	}
	if l.parent.namespaced && !child.namespaced {
		return fmt.Errorf("kind %s is cluster-scoped, so a namespaced %s cannot own it", child.Kind, l.parent.Kind)
	}
	if child.list, err = newList(mgr.GetScheme(), child); err != nil {
		return err
	}
	child.update = cmp.Or(described.Update, InPlace)
	child.adopt = cmp.Or(described.Adopt, AdoptNever)
	child.retired = described.Retired
	child.index = "parent-of-" + l.name
	child.applier = apply.Applier{Client: l.client, Live: l.live, Manager: l.manager, New: child.new}
	l.children = append(l.children, child)
	return mgr.GetFieldIndexer().IndexField(context.Background(), child.empty, child.index, l.ownerUID)
}

func newList(scheme *runtime.Scheme, child kind) (client.ObjectList, error) {
	gvk := child.GroupVersion().WithKind(child.Kind + "List")
	if _, ok := child.empty.(runtime.Unstructured); ok {
		list := new(unstructured.UnstructuredList)
		list.SetGroupVersionKind(gvk)
		return list, nil
	}
	list, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return list.(client.ObjectList), nil
}

// ownerUID returns the UID of the parent that controls an object, if it is of
// this loop's kind.
func (l *loop) ownerUID(object client.Object) []string {
	ref := metav1.GetControllerOf(object)
	if ref == nil || ref.Kind != l.parent.Kind {
		return nil
	}
	if gv, err := schema.ParseGroupVersion(ref.APIVersion); err != nil || gv.Group != l.parent.Group {
		return nil
	}
	return []string{string(ref.UID)}
}

// observe returns the children of one kind that the cache holds, not to be
// changed.
func (l *loop) observe(ctx context.Context, child kind, parent types.UID) ([]client.Object, error) {
	list := child.list.DeepCopyObject().(client.ObjectList)
	err := l.cache.List(ctx, list, client.MatchingFields{child.index: string(parent)}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, err
	}
	var objects []client.Object
	err = meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects, err
}
