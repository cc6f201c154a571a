package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// errStale is the error of a reconcile that stopped half-way, as several before it.
type errStale struct {
	count int
	err   error
}

func (e errStale) Unwrap() error { return e.err }

func (e errStale) Error() string {
	return fmt.Sprintf("conflicts in %d reconciles in a row: %v", e.count, e.err)
}

// limitStale turns the outcome of a reconcile that stopped half-way into an error if too many
// in a row have. A cache that is out of date catches up by itself; a conflict that admission
// answers with does not go away.
func (r *run) limitStale(ctx context.Context, observed *observed, end outcome) outcome {
	switch {
	case ctx.Err() != nil:
		return end
	case !end.isStale, r.isPutOff(), errors.As(r.staleCause, new(errRestored)): // each of the last restores a child, which the next sees
		r.state.staleCount = 0
		return end
	}
	if isNamed := r.staleCause != nil; isNamed != r.state.staleIsNamed { // one row is of one kind of cause
		r.state.staleIsNamed, r.state.staleCount = isNamed, 0
	}
	if r.state.staleCount++; r.state.staleCount <= backoff.Conflicts.Free {
		return end
	}
	err := errStale{backoff.Conflicts.Free + 1, cmp.Or(r.staleCause, errors.New("the parent keeps changing"))}
	if concluded := r.reportOutcome(ctx, observed, new(Response), observed.all(), err); !concluded.isStale {
		return concluded
	}
	return outcome{err: err}
}
