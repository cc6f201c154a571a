package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// A Pod whose kind says so is recreated by its eviction, which a PodDisruptionBudget can refuse. That is no
// error: the Pod stays as it is, and waits for the budget. The next attempt backs off; until then the Pod
// is not compared with its desired state, which would cost a dry run in each reconcile.

// sendDeletion deletes a child, or evicts it to recreate it. It reports whether the child existed.
func (w *writer) sendDeletion(ctx context.Context, c child) (existed bool, err error) {
	if c.isReplaced && c.Evict {
		return apply.Evict(ctx, w.loop.client.SubResource("eviction"), c.key(), c.object, c.propagation())
	}
	return c.applier.Delete(ctx, c.key(), c.object, c.propagation())
}

// waitForBudget records a child whose eviction a PodDisruptionBudget has refused. It reports false for
// another error.
func (w *writer) waitForBudget(c child, err error) bool {
	failed, isFailed := errors.AsType[backoff.Failed](err)
	if !isFailed || !errors.As(err, new(apply.ErrEvictionRefused)) {
		return false
	}
	if w.evictions == nil {
		w.evictions = map[apply.Key]backoff.Failed{}
	}
	w.evictions[c.key()] = failed
	return true
}

// waitForEvictions has the children whose eviction was refused wait for their next one.
func (done *applied) waitForEvictions(evictions map[apply.Key]backoff.Failed, now time.Time) {
	for i, child := range done.children {
		if failed, isRefused := evictions[child.key()]; isRefused {
			done.children[i].isReplaced, done.children[i].waitsFor = false, evictionText(failed)
			done.wakeAt(failed.Retry, now)
		}
	}
}

// wakeAt has the next reconcile come at a time at the latest.
func (done *applied) wakeAt(at, now time.Time) {
	done.requeue = earlier(done.requeue, max(at.Sub(now), time.Millisecond))
}

// evictionReason returns why a child is not evicted yet; empty if it may be.
func (b *batch) evictionReason(t task) string {
	if !t.kind.Evict {
		return ""
	}
	failed, isRefused := b.run.state.applied.RefusedEviction(b.run.now, t.Desired, t.observed)
	if !isRefused {
		return ""
	}
	b.done.wakeAt(failed.Retry, b.run.now)
	return evictionText(failed)
}

// evictionText says for what a child waits whose eviction was refused.
func evictionText(failed backoff.Failed) string {
	refused, _ := errors.AsType[apply.ErrEvictionRefused](failed)
	return "waits for its PodDisruptionBudget: " + refused.Reason
}
