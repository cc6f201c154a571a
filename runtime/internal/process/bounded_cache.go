package process

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// startGrace is how long the start of a process waits for its caches. The cache of a kind that the
// operator may not list is never filled.
const startGrace = 10 * time.Second

// boundedCache is a cache for which nobody waits longer than that. Its informers say themselves whether
// they are filled.
type boundedCache struct {
	cache.Cache
	begin   sync.Once
	overdue chan struct{} // closed when the grace is over
}

// newBoundedCache returns a function that makes such caches.
func newBoundedCache(newCache cache.NewCacheFunc) cache.NewCacheFunc {
	return func(config *rest.Config, options cache.Options) (cache.Cache, error) {
		made, err := newCache(config, options)
		if err != nil {
			return nil, err
		}
		return &boundedCache{Cache: made, overdue: make(chan struct{})}, nil
	}
}

// Start fills the cache until ctx is done.
func (c *boundedCache) Start(ctx context.Context) error {
	c.begin.Do(func() { time.AfterFunc(startGrace, func() { close(c.overdue) }) })
	return c.Cache.Start(ctx)
}

// WaitForCacheSync waits until the cache is filled, or the grace is over. It reports false if ctx ends
// before that.
func (c *boundedCache) WaitForCacheSync(ctx context.Context) bool {
	bounded, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-c.overdue:
			end()
		case <-bounded.Done():
		}
	}()
	return c.Cache.WaitForCacheSync(bounded) || ctx.Err() == nil
}
