package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/related"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// errStale is the error of a reconcile that goes by what is out of date.
type errStale struct{ error }

func (e errStale) Unwrap() error { return e.error }

var errParentChanged = errStale{errors.New("the parent keeps changing")}

// isStale reports whether a reconcile stops half-way because of an error, and is repeated soon: something
// has changed since it was read, the author's code took a child for absent that exists, a watch is being
// opened, or a call was put off. A stale reconcile shows nobody an error.
func isStale(err error) bool {
	if err == nil || errors.As(err, new(errConflicts)) {
		return false
	}
	return errors.As(err, new(errStale)) || errors.As(err, new(apply.ErrStale)) || errors.As(err, new(status.ErrStale)) ||
		errors.As(err, new(errRestored)) || errors.As(err, new(errPutOff)) || errors.Is(err, related.ErrFilling)
}

// staleOrJoined joins what went wrong in a reconcile. If one of the errors is stale, it returns that one
// alone: the next reconcile finds out whether the others last.
func staleOrJoined(all ...error) error {
	if i := slices.IndexFunc(all, isStale); i >= 0 {
		return all[i]
	}
	return errors.Join(all...)
}

// errConflicts is the error of a stale reconcile, as several before it were. It is shown.
type errConflicts struct {
	count int
	err   error
}

func (e errConflicts) Unwrap() error { return e.err }

func (e errConflicts) Error() string {
	return fmt.Sprintf("conflicts in %d reconciles in a row: %v", e.count, e.err)
}

// limitStale turns the outcome of a stale reconcile into an error that is shown, if too many in a row
// were stale. A cache that is out of date catches up by itself; a conflict that admission answers with
// does not go away.
func (r *run) limitStale(ctx context.Context, observed *observed, end outcome) outcome {
	switch {
	case ctx.Err() != nil:
		return end
	case !isStale(end.err), errors.As(end.err, new(errPutOff)), errors.As(end.err, new(errRestored)): // each of the last restores a child, which the next sees
		r.state.staleCount = 0
		return end
	}
	if isNamed := !errors.Is(end.err, errParentChanged); isNamed != r.state.staleIsNamed { // one row is of one kind of cause
		r.state.staleIsNamed, r.state.staleCount = isNamed, 0
	}
	if r.state.staleCount++; r.state.staleCount <= backoff.Conflicts.Free {
		return end
	}
	err := errConflicts{backoff.Conflicts.Free + 1, end.err}
	if shown := r.reportOutcome(ctx, observed, new(declared.Response), applied{children: observed.all(), err: err}); !isStale(shown.err) {
		return shown
	}
	return outcome{err: err}
}
