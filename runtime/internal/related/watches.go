package related

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
)

// Watches are the limited watches of a process. Those who watch the same part of a kind share one.
// A manager runs it.
type Watches struct {
	caches Caches

	mu       sync.Mutex
	fixed    map[Part]cache.Cache
	selected map[Part]*Selected
	indexed  map[fieldIndex]bool
	running  context.Context         // ends the watches that were opened since the start; nil before it
	early    []func(context.Context) // wait for the watches that were opened before the start
	isClosed bool                    // no watch is opened any more
	ended    sync.WaitGroup          // watches that were opened since the start, and waits for them
}

// Caches makes caches for limited watches.
type Caches struct {
	// New makes a cache with the options that all caches have, as limit completes them.
	New func(limit func(*cache.Options) error) (cache.Cache, error)
	// Add has the manager start a cache with its own, and wait for it.
	Add func(cache.Cache) error
	// Trim drops what caches do not keep of an object.
	Trim func(any) (any, error)
}

var _ manager.LeaderElectionRunnable = (*Watches)(nil)

// NewWatches returns watches of which none is open.
func NewWatches(caches Caches) *Watches {
	return &Watches{caches: caches, fixed: map[Part]cache.Cache{}, selected: map[Part]*Selected{}, indexed: map[fieldIndex]bool{}}
}

// Start lets watches be opened until ctx is done. It returns once all of them have ended.
func (w *Watches) Start(ctx context.Context) error {
	w.mu.Lock()
	w.running = ctx
	for _, wait := range w.early {
		w.ended.Go(func() { wait(ctx) })
	}
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	w.isClosed = true
	w.mu.Unlock()
	w.ended.Wait()
	return nil
}

// NeedLeaderElection returns false: watches are ready to be opened when controllers start.
func (w *Watches) NeedLeaderElection() bool { return false }

// OpenNow opens the watches of names that wait until no new name has come for a while. It reports
// whether all watches of selected objects show what they watch, or cannot be opened. A test asks it
// before it changes a related object, so that the change is seen.
func (w *Watches) OpenNow() bool {
	w.mu.Lock()
	selected := slices.Collect(maps.Values(w.selected))
	w.mu.Unlock()
	areOpen := true
	for _, s := range selected {
		areOpen = s.openNow() && areOpen
	}
	return areOpen
}

// Fixed returns the cache of a part. The manager starts it with its own.
func (w *Watches) Fixed(part Part) (cache.Cache, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found, ok := w.fixed[part]; ok {
		return found, nil
	}
	made, err := w.caches.New(part.limit)
	if err != nil {
		return nil, err
	}
	w.fixed[part] = made
	return made, w.caches.Add(made)
}

// fieldIndex is an index of a cache, by fields of objects of a kind.
type fieldIndex struct {
	cache  cache.Cache
	kind   schema.GroupVersionKind
	goType string
	name   string
}

// IndexFields has a cache find objects by the values of fields. All entries that find the objects of
// the cache by these fields share the index.
func (w *Watches) IndexFields(in cache.Cache, kind schema.GroupVersionKind, empty client.Object, paths []string) error {
	return w.Index(in, kind, empty, indexName(paths), func(object client.Object) []string {
		if values := valuesOf(object, paths); values != "" {
			return []string{values}
		}
		return nil
	})
}

// Index has a cache find objects by values, under the name of the index. All that use an index of a name
// share it.
func (w *Watches) Index(in cache.Cache, kind schema.GroupVersionKind, empty client.Object, name string, valuesOf func(client.Object) []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	index := fieldIndex{in, kind, GoTypeOf(empty), name}
	if w.indexed[index] {
		return nil
	}
	err := in.IndexField(context.Background(), empty, name, valuesOf)
	w.indexed[index] = err == nil
	return err
}

// watch is the watch of a part.
type watch struct {
	cache.Cache
	empty        client.Object
	registration toolscache.ResourceEventHandlerRegistration
	close        context.CancelFunc
	opened       time.Time
	failure      *failure
}

// isSynced reports whether the watch shows its part, and has handled all that was there at its
// start.
func (w *watch) isSynced() bool { return w != nil && w.registration.HasSynced() }

// get returns an object of the watch; nil if there is none.
func (w *watch) get(ctx context.Context, name client.ObjectKey) (client.Object, error) {
	return consistency.ReadObject(ctx, w.Cache, w.empty, name)
}

// errSlow is why a watch that the API server does not answer counts as one that cannot be opened.
var errSlow = errors.New("the API server has not listed them yet")

// failed returns why the watch cannot be opened; nil if it can, or is not to be.
func (w *watch) failed() error {
	switch {
	case w == nil || w.isSynced():
		return nil
	case w.failure.err() == nil && time.Since(w.opened) > backoff.CacheLag:
		return errSlow
	}
	return w.failure.err()
}

// hasFailed reports whether a right for the watch was missing before.
func (w *watch) hasFailed() bool { return w.failure.err() != nil }

// callbacks are called by a watch.
type callbacks struct {
	handle func(client.Object) // with each object that changes
	synced func()              // once the watch shows its part
	failed func()              // once a right for it is missing
}

// open opens the watch of a part. A watch that is opened before the manager starts is started by
// that, and is never closed.
func (w *Watches) open(part Part, empty client.Object, call callbacks) (*watch, error) {
	failure := &failure{failed: call.failed}
	made, err := w.caches.New(func(options *cache.Options) error {
		options.DefaultWatchErrorHandler = failure.handler(options.DefaultWatchErrorHandler)
		return part.limit(options)
	})
	if err != nil {
		return nil, err
	}
	informer, err := made.GetInformer(context.Background(), empty, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	opened := &watch{Cache: made, empty: empty, close: func() {}, opened: time.Now(), failure: failure}
	if opened.registration, err = informer.AddEventHandlerWithOptions(eventHandler(call.handle), toolscache.HandlerOptions{}); err != nil {
		return nil, err
	}
	wait := func(ctx context.Context) {
		if toolscache.WaitForCacheSync(ctx.Done(), opened.registration.HasSynced) {
			call.synced()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		w.early = append(w.early, wait)
		return opened, w.caches.Add(made)
	}
	if w.isClosed {
		return opened, nil
	}
	ctx, cancel := context.WithCancel(w.running)
	opened.close = cancel
	w.ended.Go(func() { _ = made.Start(ctx) }) // which returns no error
	w.ended.Go(func() { wait(ctx) })
	return opened, nil
}

// eventHandler returns a handler that calls a function with each state that an object takes, and with
// one that it leaves with other labels, but for those at the start of the watch.
func eventHandler(handle func(client.Object)) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isFirst bool) {
			if !isFirst {
				handle(object.(client.Object))
			}
		},
		UpdateFunc: func(before, after any) {
			left, taken := before.(client.Object), after.(client.Object)
			if left.GetResourceVersion() == taken.GetResourceVersion() {
				return
			}
			if handle(taken); !maps.Equal(left.GetLabels(), taken.GetLabels()) {
				handle(left)
			}
		},
		DeleteFunc: func(object any) {
			if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			handle(object.(client.Object))
		},
	}
}
