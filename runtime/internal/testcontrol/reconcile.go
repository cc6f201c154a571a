package testcontrol

import (
	"context"
	"time"
)

// Reconcile is what is known of one reconcile of a parent.
type Reconcile struct {
	Reason    string // of the error
	Err       error
	IsStale   bool          // the cache was out of date, so another reconcile follows
	IsDelayed bool          // it did nothing, since a retry is not due
	IsHotLoop bool          // Sync asks for a reconcile at a time that has passed, again
	Requeue   time.Duration // until the next reconcile, if nothing changes; 0: none

	isForced    bool
	isInspected bool   // Sync is called twice
	record      Record // filled in while the reconcile runs
	loop        *Loop
}

type reconcileKey struct{}

// ReconcileOf returns the reconcile that a context belongs to. It returns one that nobody sees for an
// operator that no test runs.
func ReconcileOf(ctx context.Context) *Reconcile {
	if r, ok := ctx.Value(reconcileKey{}).(*Reconcile); ok {
		return r
	}
	return new(Reconcile)
}

// IsForced reports whether a test has ordered the reconcile, so that it is due whatever
// became of the last one.
func (r *Reconcile) IsForced() bool { return r.isForced }
