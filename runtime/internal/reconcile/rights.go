package reconcile

import (
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// errLacksRight is an error that a missing right of the operator's role has caused, with what helps.
type errLacksRight struct {
	error
	advice string
}

func (e errLacksRight) Unwrap() error { return e.error }
func (e errLacksRight) Error() string { return e.error.Error() + "; " + e.advice }

// explainRights adds to an error what helps if a request of the runtime's own was refused for lack of a right. The
// generated role allows all of them. Requests of the author's code need rules that only the author knows.
func (s *subject) explainRights(err error) error {
	if errors.As(err, new(errLacksRight)) || !lacksOwnRight(err) {
		return err
	}
	advice := "the operator's role does not allow it: make deploy applies the generated role"
	if s.isDeleting() && len(s.loop.environment.Namespaces) > 0 {
		advice = fmt.Sprintf("the operator's role does not allow it: if namespace %s is being deleted, the operator's RoleBinding went before this object, and finalizer %s has to be removed by hand; otherwise make deploy applies the generated role",
			s.parent.GetNamespace(), s.loop.finalizer)
	}
	return errLacksRight{err, advice}
}

// lacksOwnRight reports whether an error contains one of the runtime's own requests, which lacked a right.
func lacksOwnRight(err error) bool {
	switch inner := err.(type) { //nolint:errorlint // each is looked at by itself
	case errChild, errDeletion, errPatch, errRelated, errNotCounted, backoff.Failed:
		return process.LacksRight(err)
	case interface{ Unwrap() []error }:
		for _, each := range inner.Unwrap() {
			if lacksOwnRight(each) {
				return true
			}
		}
		return false
	}
	inner := errors.Unwrap(err)
	return inner != nil && lacksOwnRight(inner)
}

// concludeError returns the error of a reconcile as it is reported.
func (r *run) concludeError(err error) error {
	return r.state.giveUpIfLast(r.explainRights(err), r.loop.definition.Retries)
}
