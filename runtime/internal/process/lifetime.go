package process

import (
	"context"
	"errors"
	"time"
)

// grace is how long reconciles may go on after the operator is told to stop. It is less
// than the 30 s that the manager waits for them, and a kubelet for the process.
const grace = 20 * time.Second

var errStopped = errors.New("the operator stops")

// lifetime is how long the reconciles of an operator may go on. They may finish after the
// operator is told to stop. They end when it loses the Lease that lets it work.
type lifetime struct {
	reconciles context.Context // the context of every reconcile ends with it
	end        context.CancelCauseFunc
	lease      *lease // nil without leader election
}

// newLifetime returns the lifetime of an operator that is told to stop by a context.
func newLifetime(stop context.Context) *lifetime {
	l := new(lifetime)
	l.reconciles, l.end = context.WithCancelCause(context.Background())
	context.AfterFunc(stop, func() {
		timer := time.AfterFunc(grace, func() { l.end(errStopped) })
		context.AfterFunc(l.reconciles, func() { timer.Stop() })
	})
	return l
}

// writeError returns the reason why nothing may be written any more, or nil.
func (l *lifetime) writeError() error {
	if l.lease == nil {
		return nil
	}
	return l.lease.writeError()
}

// reconcileContext returns the context of a reconcile: it has the values of ctx, and ends
// with the lifetime. It returns nil if no reconcile may begin any more.
func (l *lifetime) reconcileContext(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return nil
	}
	return valueContext{l.reconciles, ctx}
}

// valueContext is a context with the values of another one.
type valueContext struct {
	context.Context
	values context.Context
}

// Value looks into its own context first, so that derived contexts find the one that they
// end with.
func (l valueContext) Value(key any) any {
	if value := l.Context.Value(key); value != nil {
		return value
	}
	return l.values.Value(key)
}
