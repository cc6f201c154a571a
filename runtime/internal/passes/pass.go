package passes

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Pass is what is known of one pass over a parent. A nil Pass, where no test
// looks on, takes every note and keeps none.
type Pass struct {
	Reason  string // of the error
	Err     error
	Stale   bool          // the view was out of date, so another pass follows
	Waits   bool          // it only waits for the retry of a failed pass
	Requeue time.Duration // until the next pass, if nothing changes; 0: none

	forced    bool
	inspected bool // Sync is called twice
	record    Record
	loop      *Loop
}

// Run runs one pass over the parent that a request names, and notes how it goes.
type Run func(context.Context, reconcile.Request, *Pass) (reconcile.Result, error)

// Failed notes the error that the pass ended with.
func (p *Pass) Failed(reason string, err error) {
	if p != nil {
		p.Reason, p.Err = reason, err
	}
}

// WasStale notes that the pass has to be repeated, since its view was out of date.
func (p *Pass) WasStale() {
	if p != nil {
		p.Stale = true
	}
}

// Waited notes that the pass did nothing, since the retry of one that failed is
// not due.
func (p *Pass) Waited() {
	if p != nil {
		p.Waits = true
	}
}

// Recorded notes an Event. Events that are equal are one to the API server.
func (p *Pass) Recorded(event string) {
	if p != nil {
		p.loop.addEvent(event)
	}
}

// Forced tells whether a test has ordered the pass, so that it is due whatever
// became of the last one.
func (p *Pass) Forced() bool { return p != nil && p.forced }
