package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// lag is what is remembered of a parent whose reconciles wait for a cache.
type lag struct {
	waits int                     // in a row
	kind  schema.GroupVersionKind // of the cache, once it is reported; empty before
	said  time.Time               // when the status last said so
}

// lagging counts the parents that wait for the cache of each kind, and whose wait is reported.
type lagging struct {
	mu      sync.Mutex
	parents map[schema.GroupVersionKind]int
	show    func(kind string, parents int)
}

// begin counts a parent, and reports whether it is the first that waits for this cache.
func (l *lagging) begin(parent *lag, kind schema.GroupVersionKind) (isFirst bool) {
	if parent.kind == kind {
		return false
	}
	l.add(parent.kind, -1)
	parent.kind = kind
	return l.add(kind, 1) == 1
}

// end records that a parent waits no more.
func (l *lagging) end(parent *lag) {
	l.add(parent.kind, -1)
	*parent = lag{}
}

// add changes the number of parents that wait for the cache of a kind, and returns it.
func (l *lagging) add(kind schema.GroupVersionKind, n int) int {
	if kind.Empty() {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parents[kind] += n
	l.show(kind.Kind, l.parents[kind])
	return l.parents[kind]
}

// waitForCache ends a reconcile for which the cache does not show the operator's own writes. The event
// that is missing causes the next one. If it does not come, the waits get longer, and are reported.
func (l *loop) waitForCache(ctx context.Context, r *run) ctrl.Result {
	l.environment.Metrics.CountStale(l.definition.Name)
	if r == nil {
		return ctrl.Result{RequeueAfter: backoff.Stale}
	}
	wait := backoff.CacheWaits.Wait(r.state.lag.waits)
	r.state.lag.waits++
	if missing := r.state.writes.Lag(); r.now.Sub(missing.Since) >= backoff.ShownLag {
		r.reportLag(ctx, missing)
	}
	return ctrl.Result{RequeueAfter: wait}
}

var errCacheStale = errors.New("a cache stands still")

// reportLag says that the cache of a kind stands still: in the log, in a metric and in the conditions.
func (r *run) reportLag(ctx context.Context, missing consistency.Lag) {
	text := fmt.Sprintf("what the operator has done to %s is not in its cache after %s: %s",
		apply.Key{Kind: missing.Kind, Name: missing.Name}, backoff.ShownLag, r.loop.environment.ExplainLag(missing.Kind))
	if r.loop.lagging.begin(&r.state.lag, missing.Kind) {
		log.FromContext(ctx).Error(errCacheStale, "parents wait for it", "kind", missing.Kind.String(), "missing", text)
	}
	if r.now.Sub(r.state.lag.said) < backoff.ShownLag { // each time costs a read
		return
	}
	err := r.writer.writeStatus(ctx, new(declared.Response), notReady(status.Reconciling, reasonCacheStale, text), errCacheStale)
	switch {
	case err == nil:
		r.state.lag.said = r.now
	case !isStale(err):
		log.FromContext(ctx).Error(err, "the status cannot say that a cache stands still")
	}
}
