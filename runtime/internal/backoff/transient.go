package backoff

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// IsTransient reports whether a request failed for a reason that often passes by itself:
// the API server could not be reached, took too long, had too much to do, or had an error
// of its own. Anything else it has refused.
func IsTransient(err error) bool {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		code := status.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests || apierrors.IsTimeout(err)
	}
	return errors.As(err, new(*url.Error)) || errors.Is(err, context.DeadlineExceeded)
}
