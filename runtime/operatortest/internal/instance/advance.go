package instance

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// Advance moves the operator's clock forward, whenever the operator is idle. The reconciles that become due meanwhile run in
// their order, each at its time. If the operator is stopped, none run.
func (o *Operator) Advance(by time.Duration) {
	o.T.Helper()
	o.follow.Do(o.followClock)
	end := o.Clock.Now().Add(by)
	for {
		o.awaitIdle()
		loop, next, ok := o.RunningProcess().nextRequeue(end)
		if !ok {
			break
		}
		if wait := next.when.Sub(o.Clock.Now()); wait > 0 {
			o.Clock.Advance(wait)
		}
		done, _ := loop.Force(next.name)
		o.awaitResult("the requeued reconcile of "+next.name.Name+" ends", done)
	}
	if left := end.Sub(o.Clock.Now()); left > 0 {
		o.Clock.Advance(left)
	}
}

// followClock runs what becomes due by the clock from now on, until the test ends: the timers of work queues do not know that
// it has moved.
func (o *Operator) followClock() {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var last due
		for tick := time.NewTicker(Interval); ; {
			select {
			case <-tick.C:
			case <-end:
				tick.Stop()
				return
			}
			loop, next, ok := o.RunningProcess().nextRequeue(o.Clock.Now().Add(-LongestInterval)) // else its timer is about to run it
			if ok && next != last {
				last = next
				loop.Force(next.name)
			}
		}
	}()
	o.unfollow = func() { close(end); <-ended }
}

// awaitIdle waits until the operator does nothing and has seen what was written: a reconcile that runs has the time of its
// begin, and a cache that is about to show a write would seem to lack it for as long as the clock moves. An operator that
// cannot go on, such as one whose Sync waits for the test, is not waited for.
func (o *Operator) awaitIdle() {
	o.T.Helper()
	reason, last, since := "", Moment{}, time.Now()
	o.changes.poll(time.Now().Add(SettleLimit()), Glance, 10*Glance, func() bool {
		now, isRunning := o.Moment()
		if !isRunning {
			return true
		}
		if now != last {
			last, since = now, time.Now()
		}
		reason = o.DescribeUnsettled(0)
		return reason == "" || time.Since(since) > stuckLimit()
	})
	if reason != "" {
		o.T.Logf("the clock moves while the operator is not idle: %s", reason)
	}
}

// stuckLimit is how long an operator that is not idle may write nothing and be shown nothing before it counts as one that
// cannot go on.
func stuckLimit() time.Duration { return Patience() / 20 }

// due is the next reconcile of a parent.
type due struct {
	name client.ObjectKey
	when time.Time
}

// nextRequeue returns the first reconcile that is due until a time. It reports false if there is
// none.
func (p *process) nextRequeue(until time.Time) (found *testcontrol.Loop, next due, ok bool) {
	if p == nil {
		return nil, due{}, false
	}
	for _, loop := range p.Control.Loops() {
		if name, when, has := loop.Due(until); has && (!ok || when.Before(next.when)) {
			found, next, ok = loop, due{name, when}, true
		}
	}
	return found, next, ok
}
