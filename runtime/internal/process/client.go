package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// newClientFunc returns the function that makes the manager's client. The client reads the
// kinds that the operator watches from the cache, and all others from the API server. It
// writes objects without the part of managedFields that a cache has kept, since the API
// server would take that part for all of them.
func newClientFunc(namespaces []string) client.NewClientFunc {
	return func(config *rest.Config, options client.Options) (client.Client, error) {
		uncached := options
		uncached.Cache = nil
		live, err := client.New(config, uncached)
		if err != nil {
			return nil, err
		}
		caching := *options.Cache
		caching.Reader = fallbackReader{caching.Reader, live, namespaces}
		options.Cache = &caching
		made, err := client.New(config, options)
		return trimmedClient{made}, err
	}
}

// fallbackReader reads from a cache, and kinds that the cache does not hold from the API
// server.
type fallbackReader struct {
	cache      client.Reader
	live       client.Client
	namespaces []string // those that the operator works in; none: all
}

// Get reads one object.
func (r fallbackReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	err := r.cache.Get(ctx, key, object, options...)
	if err == nil {
		return CheckReadable(object.GetObjectKind().GroupVersionKind().Kind, object)
	}
	if !errors.As(err, new(*cache.ErrResourceNotCached)) {
		return err
	}
	return r.live.Get(ctx, key, object, options...)
}

// List lists objects. Like the cache it lists those of the operator's namespaces unless an option names
// another one.
func (r fallbackReader) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	err := r.cache.List(ctx, list, options...)
	if err == nil {
		return meta.EachListItem(list, func(item runtime.Object) error {
			if object, ok := item.(client.Object); ok {
				return CheckReadable(object.GetObjectKind().GroupVersionKind().Kind, object)
			}
			return nil
		})
	}
	if !errors.As(err, new(*cache.ErrResourceNotCached)) {
		return err
	}
	namespaced, err := r.live.IsObjectNamespaced(list)
	if err != nil {
		return err
	}
	asked := new(client.ListOptions)
	if asked.ApplyOptions(options); !namespaced || asked.Namespace != "" || len(r.namespaces) == 0 {
		return r.live.List(ctx, list, options...)
	}
	if len(r.namespaces) > 1 && (asked.Limit > 0 || asked.Continue != "") {
		return fmt.Errorf("a list in pages needs a namespace, since the operator works in several: %s", strings.Join(r.namespaces, ", "))
	}
	return r.listEach(ctx, list, options)
}

// listEach lists the objects of one namespace after the other.
func (r fallbackReader) listEach(ctx context.Context, list client.ObjectList, options []client.ListOption) error {
	var all []runtime.Object
	for _, namespace := range r.namespaces {
		if err := r.live.List(ctx, list, append(slices.Clone(options), client.InNamespace(namespace))...); err != nil {
			return err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		all = append(all, items...)
	}
	return meta.SetList(list, all)
}

// trimmedClient writes objects that come from a cache. The API server itself leaves the
// field managers alone where a subresource is written.
type trimmedClient struct{ client.Client }

// Create creates an object.
func (c trimmedClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	managedfields.DropTrimmedManagedFields(object)
	return c.Client.Create(ctx, object, options...)
}

// Update replaces an object.
func (c trimmedClient) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	managedfields.DropTrimmedManagedFields(object)
	return c.Client.Update(ctx, object, options...)
}

// Patch patches an object. An apply sends the object, other patches what differs.
func (c trimmedClient) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if patch.Type() == types.ApplyPatchType {
		managedfields.DropTrimmedManagedFields(object)
	}
	return c.Client.Patch(ctx, object, patch, options...)
}
