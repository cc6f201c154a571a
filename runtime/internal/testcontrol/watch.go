package testcontrol

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Watch is one event handler of a cache: which objects the cache holds, and which
// version of each the handler was called with last.
type Watch struct {
	Kind       schema.GroupVersionKind
	Namespaces []string        // that the cache is limited to; empty: it holds all
	Labels     labels.Selector // that the cache is limited to; nil: it holds all
	Fields     fields.Selector // that the cache is limited to; nil: it holds all

	cache        *watchedCache
	mu           sync.Mutex
	registration toolscache.ResourceEventHandlerRegistration
	handled      map[types.NamespacedName]Version
	changes      []Change // handled since the last TakeChanges, after the cache was filled
}

// Version is the state of an object that a handler was called with.
type Version struct {
	UID             types.UID
	ResourceVersion string
	Deleted         bool
}

// HasSynced reports whether the handler was called with all that the cache held at its start.
func (w *Watch) HasSynced() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.registration != nil && w.registration.HasSynced()
}

// Handled calls yield with the last version of each object that the handler has
// returned from.
func (w *Watch) Handled(yield func(types.NamespacedName, Version) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, version := range w.handled {
		if !yield(name, version) {
			return
		}
	}
}

// Version returns what the handler was called with last for the object of a name.
func (w *Watch) Version(name types.NamespacedName) (Version, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	version, ok := w.handled[name]
	return version, ok
}

// Change is an object as a handler was called with it.
type Change struct {
	Name    types.NamespacedName
	Version Version
}

// TakeChanges returns what the handler was called with since the last call, but for what the cache held at its start.
func (w *Watch) TakeChanges() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := w.changes
	w.changes = nil
	return changes
}

// recordVersion records what the handler was called with. An initial object is one that the cache held at its start.
func (w *Watch) recordVersion(object any, deleted, initial bool) {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	known, ok := object.(client.Object)
	if !ok {
		return
	}
	w.mu.Lock()
	name := client.ObjectKeyFromObject(known)
	w.handled[name] = Version{known.GetUID(), known.GetResourceVersion(), deleted}
	if !initial {
		w.changes = append(w.changes, Change{name, w.handled[name]})
	}
	w.mu.Unlock()
	w.cache.control.noteChange(w.Kind.GroupKind(), name)
}

// NewCache makes a cache whose event handlers are among [Control.Watches]. A nil
// Control makes a cache of controller-runtime, as it is.
func (c *Control) NewCache(config *rest.Config, options cache.Options) (cache.Cache, error) {
	made, err := cache.New(config, options)
	if c == nil || err != nil {
		return made, err
	}
	return &watchedCache{made, c, options}, nil
}

// Watches returns the event handlers of all caches.
func (c *Control) Watches() []*Watch {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*Watch(nil), c.watches...)
}

// watchedCache is a cache that knows what its event handlers were called with.
type watchedCache struct {
	cache.Cache
	control *Control
	options cache.Options
}

// Start fills the cache until ctx is done. Then its event handlers are no longer among
// [Control.Watches].
func (c *watchedCache) Start(ctx context.Context) error {
	err := c.Cache.Start(ctx)
	c.control.mu.Lock()
	defer c.control.mu.Unlock()
	c.control.watches = slices.DeleteFunc(c.control.watches, func(w *Watch) bool { return w.cache == c })
	return err
}

// GetInformer returns the informer of the object's kind.
func (c *watchedCache) GetInformer(ctx context.Context, object client.Object, options ...cache.InformerGetOption) (cache.Informer, error) {
	informer, err := c.Cache.GetInformer(ctx, object, options...)
	if err != nil {
		return nil, err
	}
	kind, err := apiutil.GVKForObject(object, c.options.Scheme)
	if err != nil {
		return nil, err
	}
	if shared, ok := informer.(toolscache.SharedIndexInformer); ok {
		return &watchedSharedInformer{shared, c, kind}, nil
	}
	return &watchedInformer{informer, c, kind}, nil
}

// addWatch has a handler tell what it was called with.
func (c *watchedCache) addWatch(kind schema.GroupVersionKind, handler toolscache.ResourceEventHandler, add func(toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error)) (toolscache.ResourceEventHandlerRegistration, error) {
	watch := &Watch{Kind: kind, Labels: c.options.DefaultLabelSelector, Fields: c.options.DefaultFieldSelector, cache: c, handled: map[types.NamespacedName]Version{}}
	for namespace := range c.namespacesOf(kind) {
		watch.Namespaces = append(watch.Namespaces, namespace)
	}
	c.control.mu.Lock()
	c.control.watches = append(c.control.watches, watch)
	c.control.mu.Unlock()
	registration, err := add(&watchedHandler{handler, watch})
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.registration = registration
	return registration, err
}

// namespacesOf returns the namespaces that the cache is limited to for a kind; none if it holds all.
func (c *watchedCache) namespacesOf(kind schema.GroupVersionKind) map[string]cache.Config {
	for object, limits := range c.options.ByObject {
		limited, err := apiutil.GVKForObject(object, c.options.Scheme)
		if err == nil && limited == kind && limits.Namespaces != nil {
			return limits.Namespaces
		}
	}
	return c.options.DefaultNamespaces
}

// watchedInformer is an informer whose event handlers are noted.
type watchedInformer struct {
	cache.Informer
	cache *watchedCache
	kind  schema.GroupVersionKind
}

// AddEventHandlerWithOptions is how controllers of controller-runtime add theirs.
func (i *watchedInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.cache.addWatch(i.kind, handler, func(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
		return i.Informer.AddEventHandlerWithOptions(handler, options)
	})
}

// watchedSharedInformer is watchedInformer for a cache of all namespaces, whose
// indexer is used.
type watchedSharedInformer struct {
	toolscache.SharedIndexInformer
	cache *watchedCache
	kind  schema.GroupVersionKind
}

// AddEventHandlerWithOptions is that of watchedInformer.
func (i *watchedSharedInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.cache.addWatch(i.kind, handler, func(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
		return i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options)
	})
}

// watchedHandler notes an event once the handler has returned, so that what the
// handler put into a queue is there.
type watchedHandler struct {
	next  toolscache.ResourceEventHandler
	watch *Watch
}

func (h *watchedHandler) OnAdd(object any, initial bool) {
	h.next.OnAdd(object, initial)
	h.watch.recordVersion(object, false, initial)
}

func (h *watchedHandler) OnUpdate(before, object any) {
	h.next.OnUpdate(before, object)
	h.watch.recordVersion(object, false, false)
}

func (h *watchedHandler) OnDelete(object any) {
	h.next.OnDelete(object)
	h.watch.recordVersion(object, true, false)
}
