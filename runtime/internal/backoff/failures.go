package backoff

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// View sums up the versions of all that a reconcile sees.
type View struct {
	Objects  uint64 // children and related objects
	Parent   string // the parent's resource version; empty: one that no reconcile sees
	Triggers uint64 // how often something outside of the cluster has named the parent
}

// Failures are the failed reconciles of one parent since the last that succeeded. The zero
// value has none.
type Failures struct {
	Count        int // in a row
	sinceChange  int // of Count, those since something changed last
	view         View
	retry        time.Time // zero: not before something changes
	nameConflict bool
}

// Failure is how a reconcile failed.
type Failure struct {
	Err          error
	Requeue      time.Duration // what the author asked for; 0: nothing
	IsTerminal   bool          // the error waits for a change, or for the requeue
	NameConflict bool          // an object that no reconcile sees has the name of a child
	View         View          // what the reconcile left behind
}

// Add records a failure and returns how long the retry waits; 0: until something changes. A
// write that failed has its own backoff, and delays nothing else.
func (f *Failures) Add(failure Failure, now time.Time) time.Duration {
	*f = Failures{Count: f.Count + 1, sinceChange: f.sinceChange + 1, view: failure.View, nameConflict: failure.NameConflict}
	if failure.IsTerminal {
		if failure.Requeue > 0 {
			f.retry = now.Add(failure.Requeue)
		}
		return max(failure.Requeue, 0)
	}
	delay := Retries.Wait(f.Count - 1)
	writes, alone := FailedIn(failure.Err)
	if alone {
		delay = Retries.Longest
	}
	for _, write := range writes {
		delay = min(delay, max(write.Retry.Sub(now), time.Millisecond))
	}
	if alone && failure.Requeue > 0 {
		delay = min(delay, failure.Requeue)
	}
	delay = wait.Jitter(delay, Spread)
	f.retry = now.Add(delay)
	return delay
}

// IsLastAttempt reports whether the reconcile that runs is the last that a limit of
// attempts allows. Attempts count from the last change; limit 0 allows any number.
func (f *Failures) IsLastAttempt(limit int) bool { return limit > 0 && f.sinceChange+1 >= limit }

// Delay reports whether a reconcile would only repeat one that failed before its retry is
// due, and returns the time left; 0: until something changes. After a name conflict the
// event may be that of the object that had the name, so that the reconcile is not delayed.
func (f *Failures) Delay(view View, now time.Time) (time.Duration, bool) {
	if f.view != view {
		f.sinceChange = 0
		return 0, false
	}
	if f.Count == 0 || f.nameConflict {
		return 0, false
	}
	if f.retry.IsZero() {
		return 0, true
	}
	left := f.retry.Sub(now)
	return left, left > 0
}
