package reconcile

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// countAnswer counts what Sync desired in a reconcile, and records an Event about a Sync that
// desires something else each time. What was refused counts like what was written.
func (r *run) countAnswer(ctx context.Context, observed *observed, response *declared.Response, requeue time.Duration, err error) {
	if len(r.writer.names) == 0 && err == nil {
		r.state.hotLoop = nil
		return
	}
	answer := backoff.Answer{
		Left: r.writer.view(observed), Children: r.desiredHash, Parent: hashParentPart(r.loop.definition.Status, response) + hashReasons(response.Children),
		WroteChildren: len(r.writer.children)+len(r.writer.patched) > 0, Time: r.now,
	}
	if requeue > 0 {
		answer.Requeue = r.now.Add(requeue)
	}
	if r.state.hotLoop == nil {
		r.state.hotLoop = new(backoff.HotLoop)
	}
	r.state.hotLoop.Add(r.seen, answer)
	if r.state.hotLoop.IsHot() {
		desired := joinSome(r.writer.names)
		if len(r.writer.names) == 0 {
			desired = "refused: " + errorMessage(err)
		}
		r.warnAboutHotLoop(ctx, fmt.Sprintf("Sync desires something else in each reconcile, although nothing has changed but what it wrote itself (now %s): it is called less and less often until its answer stays the same", desired))
	}
}

// requestedRequeue returns when the author asks for the next reconcile; 0: never. A negative
// time has passed: the reconcile is due now, and if its answer is the same, it backs off.
func (r *run) requestedRequeue(ctx context.Context, observed *observed, after time.Duration) time.Duration {
	if after >= 0 {
		r.state.pastTimes = backoff.PastTimes{}
		return after
	}
	wait := r.state.pastTimes.Add(r.seen, r.writer.view(observed), len(r.writer.names) > 0)
	if r.state.pastTimes.IsHot() {
		r.test.IsHotLoop = true
		r.warnAboutHotLoop(ctx, "Sync asks for a reconcile at a time that has passed, although nothing has changed since it did so before (RequeueAfter is negative): it is called less and less often until it asks for a later time")
	}
	return wait
}

// warnAboutHotLoop records an Event about a hot loop, unless there was one in the last hour.
func (s *subject) warnAboutHotLoop(ctx context.Context, text string) {
	if !s.state.eventTexts.isNew(reasonHotLoop, s.now) {
		return
	}
	s.recordEvent(corev1.EventTypeWarning, reasonHotLoop, truncateText(text))
	log.FromContext(ctx).Info(text)
}
