package testcontrol

import (
	"context"
	"time"
)

// Reconcile is what is known of one reconcile of a parent. A nil Reconcile, for an operator
// that no test runs, drops everything.
type Reconcile struct {
	Reason    string // of the error
	Err       error
	IsStale   bool          // the cache was out of date, so another reconcile follows
	IsDelayed bool          // it did nothing, since a retry is not due
	IsHotLoop bool          // Sync asks for a reconcile at a time that has passed, again
	Requeue   time.Duration // until the next reconcile, if nothing changes; 0: none

	isForced    bool
	isInspected bool // Sync is called twice
	record      Record
	loop        *Loop
}

type reconcileKey struct{}

// ReconcileOf returns the reconcile that a context belongs to; nil for an operator that no test runs.
func ReconcileOf(ctx context.Context) *Reconcile {
	r, _ := ctx.Value(reconcileKey{}).(*Reconcile)
	return r
}

// SetError records the error that the reconcile ended with.
func (r *Reconcile) SetError(reason string, err error) {
	if r != nil {
		r.Reason, r.Err = reason, err
	}
}

// SetStale records that the reconcile has to be repeated, since the cache was out of date.
func (r *Reconcile) SetStale() {
	if r != nil {
		r.IsStale = true
	}
}

// SetDelayed records that the reconcile did nothing, since the retry of a failed one is not
// due.
func (r *Reconcile) SetDelayed() {
	if r != nil {
		r.IsDelayed = true
	}
}

// SetHotLoop records that Sync asks for a reconcile at a time that has passed, again.
func (r *Reconcile) SetHotLoop() {
	if r != nil {
		r.IsHotLoop = true
	}
}

// IsForced reports whether a test has ordered the reconcile, so that it is due whatever
// became of the last one.
func (r *Reconcile) IsForced() bool { return r != nil && r.isForced }
