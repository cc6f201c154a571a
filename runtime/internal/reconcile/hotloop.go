package reconcile

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// countAnswer counts what Sync desired in a reconcile, and records an Event about a Sync that
// desires something else each time.
func countAnswer(ctx context.Context, r *run, observed *observed, response *Response, requeue time.Duration) {
	if len(r.writes.names) == 0 {
		r.state.hotLoop = nil
		return
	}
	answer := backoff.Answer{
		Left: r.view(observed), Children: r.desiredHash, Parent: hashParentPart(r.loop.definition.Status, response),
		WroteChildren: len(r.writes.children) > 0, Time: r.now,
	}
	if requeue > 0 {
		answer.Requeue = r.now.Add(requeue)
	}
	if r.state.hotLoop == nil {
		r.state.hotLoop = new(backoff.HotLoop)
	}
	r.state.hotLoop.Add(r.seen, answer)
	if !r.state.hotLoop.IsHot() || !r.state.eventTexts.isNew(reasonHotLoop, r.now) {
		return
	}
	text := fmt.Sprintf("Sync desires something else in each reconcile, although nothing has changed but what it wrote itself (now %s): it is called less and less often until its answer stays the same", joinSome(r.writes.names))
	recordEvent(r, corev1.EventTypeWarning, reasonHotLoop, truncateText(text))
	log.FromContext(ctx).Info(text)
}
