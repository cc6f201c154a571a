package process

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

// A start waits for a slow list, and not for one that is refused.
func TestOnlyAMissingRightEndsTheWaitForACache(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for _, c := range []struct {
		name      string
		errs      []error
		isOverdue bool
	}{
		{"no error", nil, false},
		{"a list that timed out", []error{errors.New("the connection was cut")}, false},
		{"a forbidden list", []error{forbidden(secrets)}, true},
		{"two forbidden lists", []error{forbidden(secrets), forbidden(secrets)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			late, handled := &overdue{closed: make(chan struct{})}, 0
			handle := late.handler(func(context.Context, *toolscache.Reflector, error) { handled++ })
			for _, err := range c.errs {
				handle(t.Context(), nil, err)
			}
			if isOverdue := isClosed(late.closed); isOverdue != c.isOverdue || handled != len(c.errs) {
				t.Errorf("overdue: %v, expected %v; %d of %d errors were handled", isOverdue, c.isOverdue, handled, len(c.errs))
			}
		})
	}
}

func forbidden(resource schema.GroupResource) error {
	return apierrors.NewForbidden(resource, "", errors.New(`User "web" cannot list it`))
}

func isClosed(closed chan struct{}) bool {
	select {
	case <-closed:
		return true
	default:
		return false
	}
}
