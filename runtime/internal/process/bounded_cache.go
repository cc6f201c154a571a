package process

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// startGrace is how long the start of a process waits for its caches. The cache of a kind that the
// API server does not list is never filled.
const startGrace = 10 * time.Second

// boundedCache is a cache for which nobody waits longer than that, nor for a kind that the operator may
// not list. Its informers say themselves whether they are filled.
type boundedCache struct {
	cache.Cache
	begin   sync.Once
	overdue *overdue
}

// overdue is closed when nobody waits for a cache any more.
type overdue struct {
	once   sync.Once
	closed chan struct{}
}

func (o *overdue) close() { o.once.Do(func() { close(o.closed) }) }

// handler returns a handler of the errors of a cache's watches that is overdue with the first missing
// right, before the next one handles it.
func (o *overdue) handler(next toolscache.WatchErrorHandlerWithContext) toolscache.WatchErrorHandlerWithContext {
	return func(ctx context.Context, r *toolscache.Reflector, err error) {
		if LacksRight(err) {
			o.close()
		}
		next(ctx, r, err)
	}
}

// newBoundedCache returns a function that makes such caches.
func newBoundedCache(newCache cache.NewCacheFunc) cache.NewCacheFunc {
	return func(config *rest.Config, options cache.Options) (cache.Cache, error) {
		late := &overdue{closed: make(chan struct{})}
		options.DefaultWatchErrorHandler = late.handler(options.DefaultWatchErrorHandler)
		made, err := newCache(config, options)
		if err != nil {
			return nil, err
		}
		return &boundedCache{Cache: made, overdue: late}, nil
	}
}

// Start fills the cache until ctx is done.
func (c *boundedCache) Start(ctx context.Context) error {
	c.begin.Do(func() { time.AfterFunc(startGrace, c.overdue.close) })
	return c.Cache.Start(ctx)
}

// WaitForCacheSync waits until the cache is filled, or overdue. It reports false if ctx ends
// before that.
func (c *boundedCache) WaitForCacheSync(ctx context.Context) bool {
	bounded, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-c.overdue.closed:
			end()
		case <-bounded.Done():
		}
	}()
	return c.Cache.WaitForCacheSync(bounded) || ctx.Err() == nil
}
