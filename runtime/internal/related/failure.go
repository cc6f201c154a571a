package related

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
)

// failure is why a watch cannot be opened, as far as somebody has to do something about it.
type failure struct {
	last   atomic.Pointer[error]
	failed func() // called with the first error
}

// err returns the last error; nil if there was none.
func (f *failure) err() error {
	if last := f.last.Load(); last != nil {
		return *last
	}
	return nil
}

// handler returns a handler of the errors of a watch that notes a missing right before the next one
// handles it. The watch is retried.
func (f *failure) handler(next toolscache.WatchErrorHandlerWithContext) toolscache.WatchErrorHandlerWithContext {
	return func(ctx context.Context, r *toolscache.Reflector, err error) {
		if apierrors.IsForbidden(err) && f.last.Swap(&err) == nil {
			f.failed()
		}
		next(ctx, r, err)
	}
}
