package reconcile

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// kind is a kind of objects that the API server serves.
type kind struct {
	schema.GroupVersionKind
	namespaced bool
	empty      client.Object // as the API server is asked for it
	cached     client.Object // as the cache has it: metadata only, or like empty
	// lacksStatus says that the kind has no status subresource, as far as discovery was asked.
	// Copies of the kind share it. Nil: nobody asks.
	lacksStatus *atomic.Bool
}

// newObject returns an empty object of the kind.
func (k kind) newObject() client.Object { return k.empty.DeepCopyObject().(client.Object) }

// isStatusless reports whether the kind is known to have no status subresource.
func (k kind) isStatusless() bool { return k.lacksStatus != nil && k.lacksStatus.Load() }

// newKind looks a kind up at the API server. Beside a process.ErrNotServed, the kind has its name.
func newKind(mgr manager.Manager, empty client.Object) (kind, error) {
	gvk, err := apiutil.GVKForObject(empty, mgr.GetScheme())
	if err != nil {
		return kind{}, err
	}
	named := kind{GroupVersionKind: gvk, empty: empty, cached: empty, lacksStatus: new(atomic.Bool)}
	mapping, err := mgr.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return named, process.ErrNotServed{GroupVersionKind: gvk}
	}
	if err != nil {
		return kind{}, err
	}
	named.namespaced = mapping.Scope.Name() == meta.RESTScopeNameNamespace
	return named, nil
}

// withMetadataOnly returns the kind as a cache of metadata has it.
func (k kind) withMetadataOnly() kind {
	object := new(metav1.PartialObjectMetadata)
	object.SetGroupVersionKind(k.GroupVersionKind)
	k.cached = object
	return k
}

// newList returns an empty list of a kind, as the cache has it.
func newList(scheme *runtime.Scheme, k kind) (client.ObjectList, error) {
	gvk := k.GroupVersion().WithKind(k.Kind + "List")
	switch k.cached.(type) {
	case *metav1.PartialObjectMetadata:
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(gvk)
		return list, nil
	case runtime.Unstructured:
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

// listItems returns the objects of a list.
func listItems(list client.ObjectList) ([]client.Object, error) {
	var objects []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects, err
}
