package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// errStuck is a pass that stopped half-way, as those before it.
type errStuck struct {
	passes int
	err    error
}

func (e errStuck) Unwrap() error { return e.err }

func (e errStuck) Error() string {
	return fmt.Sprintf("conflicts in %d reconciles in a row: %v", e.passes, e.err)
}

// unstick turns the end of a pass that stopped half-way into an error if so many
// before have. A view that is out of date gets better by itself; a conflict that
// admission answers with does not.
func (r *reconciler[P, S, C, D, R]) unstick(ctx context.Context, p *pass, end verdict) verdict {
	switch {
	case ctx.Err() != nil:
		return end
	case !end.stale:
		p.state.conflicts = 0
		return end
	}
	if p.state.conflicts++; p.state.conflicts <= backoff.Conflicts.Free {
		return end
	}
	err := errStuck{backoff.Conflicts.Free + 1, cmp.Or(p.conflict, errors.New("the parent keeps changing"))}
	if shown := r.conclude(ctx, p, new(Response[D, S]), p.all(), err); !shown.stale {
		return shown
	}
	return verdict{err: err}
}
