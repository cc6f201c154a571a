package backoff

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Failed is a write that failed, and is not made again before its time.
type Failed struct {
	Err      error
	UID      types.UID // of the object; empty where there was none
	Attempts int       // in a row
	First    time.Time // of these
	Retry    time.Time
	Replayed bool // there was no attempt, since it is not due
}

func (f Failed) Error() string { return f.Err.Error() }

// Unwrap returns the error of the last attempt.
func (f Failed) Unwrap() error { return f.Err }

func (f Failed) failed() Failed { return f }

// IsYoung reports whether the error may pass by itself before anybody needs to know.
func (f Failed) IsYoung(now time.Time) bool {
	return IsTransient(f.Err) && f.Attempts < ShownAttempt && now.Sub(f.First) < ShownAfter
}

// Replay returns the error of the last write of a desired state to the object of a UID, if
// that failed and the next one is not due; nil if it may be made.
func (b *Budget) Replay(now time.Time, state string, uid types.UID) error {
	if !b.hasFailed(state, uid) || !now.Before(b.failed.Retry) {
		return nil
	}
	replayed := *b.failed
	replayed.Replayed = true
	return replayed
}

// Failure returns the error of the last write of a desired state to the object of a UID, if that
// failed, whether the next one is due or not.
func (b *Budget) Failure(state string, uid types.UID) error {
	if !b.hasFailed(state, uid) {
		return nil
	}
	return *b.failed
}

func (b *Budget) hasFailed(state string, uid types.UID) bool {
	return b.failed != nil && b.state == state && b.failed.UID == uid
}

// Succeeded notes that a write did not fail.
func (b *Budget) Succeeded() { b.failed, b.conflicts = nil, 0 }

// Fail notes that a write of a desired state failed, and returns the error as a [Failed]. It is no repetition, which
// would be somebody else's doing.
func (b *Budget) Fail(now time.Time, state string, uid types.UID, err error) error {
	b.SetState(state)
	failed := Failed{Err: err, UID: uid, Attempts: 1, First: now}
	if last := b.failed; last != nil && last.UID == uid {
		failed.Attempts, failed.First = last.Attempts+1, last.First
	}
	failed.Retry = now.Add(Retries.Wait(failed.Attempts - 1))
	if !IsTransient(err) {
		failed.Retry = latest(failed.Retry, b.Due(), now.Add(Writes.Wait(failed.Attempts-1)))
	}
	b.failed, b.attempted = &failed, now
	return failed
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// Conflicted notes that a write of a desired state met a conflict. It returns nil while a
// newer cache may mend that.
func (b *Budget) Conflicted(now time.Time, state string, uid types.UID, err error) error {
	b.SetState(state)
	b.attempted = now
	if b.conflicts++; b.conflicts <= Conflicts.Free {
		return nil
	}
	return b.Fail(now, state, uid, fmt.Errorf("conflicts in %d attempts in a row: %w", b.conflicts, err))
}

// RetryNow has the next write not wait for a failed one.
func (b *Budget) RetryNow() {
	if b.failed != nil {
		b.failed.Retry = time.Time{}
	}
}

// FailedIn returns the failed writes in an error, and whether it consists of nothing else.
func FailedIn(err error) (all []Failed, alone bool) {
	if failed, ok := err.(interface{ failed() Failed }); ok {
		return []Failed{failed.failed()}, true
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		alone = true
		for _, part := range several.Unwrap() {
			failed, only := FailedIn(part)
			all, alone = append(all, failed...), alone && only
		}
		return all, alone
	}
	if cause := errors.Unwrap(err); cause != nil {
		return FailedIn(cause)
	}
	return nil, false
}
