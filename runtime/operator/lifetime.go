package operator

import (
	"context"
	"errors"
	"time"
)

// grace is how long passes under way may go on after the operator was told to
// stop. It is less than the 30 s that the manager waits for them, and a kubelet
// for the process.
const grace = 20 * time.Second

var errStopped = errors.New("the operator stops")

// lifetime is how long the passes of an operator may go on: beyond the moment
// when it is told to stop, so that what they have begun is finished, but not
// beyond the loss of the lease that lets it work.
type lifetime struct {
	passes context.Context // of every pass
	end    context.CancelCauseFunc
	lease  *lease // nil without leader election
}

func newLifetime(told context.Context) *lifetime {
	l := new(lifetime)
	l.passes, l.end = context.WithCancelCause(context.Background())
	context.AfterFunc(told, func() {
		timer := time.AfterFunc(grace, func() { l.end(errStopped) })
		context.AfterFunc(l.passes, func() { timer.Stop() })
	})
	return l
}

// mayWrite returns why nothing may be written any more, nil if it may.
func (l *lifetime) mayWrite() error {
	if lost, ok := errors.AsType[errLeaseLost](context.Cause(l.passes)); ok {
		return lost
	}
	if l.lease != nil && l.lease.expired() {
		return errLeaseLost{lease: l.lease.Describe()}
	}
	return nil
}

// passContext returns the context of a pass: it has the values of the context
// that the controller gave, and ends with the lifetime. It is nil if no pass is
// to begin any more.
func (l *lifetime) passContext(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return nil
	}
	return lasting{l.passes, ctx}
}

// lasting is a context with the values of another one.
type lasting struct {
	context.Context
	values context.Context
}

// Value looks into its own context first, so that what derives from it finds
// what to end with.
func (l lasting) Value(key any) any {
	if value := l.Context.Value(key); value != nil {
		return value
	}
	return l.values.Value(key)
}
