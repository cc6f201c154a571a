package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// errChild is the error of a child that could not be applied or deleted.
type errChild struct {
	key     apply.Key
	err     error
	creates bool   // the child does not exist yet, and replaces none
	advice  string // what an author can do; empty: nothing but what the error says
}

func (e errChild) Unwrap() error { return e.err }

func (e errChild) Error() string {
	if errors.As(e.err, new(apply.ErrNameConflict)) {
		return e.err.Error()
	}
	return fmt.Sprintf("%s: %v%s", e.key, e.err, e.advice)
}

// errRecords is the error of a child whose options could not be recorded, beside the reason why its content was
// not written.
type errRecords struct{ error }

func (e errRecords) Unwrap() error { return e.error }

func (e errRecords) Error() string {
	return "what its options record could not be written either: " + e.error.Error()
}

// errDeletion is the error of a related object that could not be deleted.
type errDeletion struct {
	key apply.Key
	err error
}

func (e errDeletion) Unwrap() error { return e.err }

func (e errDeletion) Error() string { return fmt.Sprintf("delete %s: %v", e.key, e.err) }

// errPatch is the error of a related object whose fields could not be set or removed.
type errPatch struct {
	key apply.Key
	err error
}

func (e errPatch) Unwrap() error { return e.err }

func (e errPatch) Error() string { return fmt.Sprintf("patch %s: %v", e.key, e.err) }

// errInvalidPatch is the error of an answer that patches what it must not.
type errInvalidPatch struct{ error }

// errHeld is the error of a patch of a field that another parent or operator has set otherwise.
type errHeld struct{ path, holder string }

func (e errHeld) Error() string {
	return fmt.Sprintf("%s is set to another value by %s, which keeps it", e.path, e.holder)
}

// errNotCounted is the error of a prune that the brake could not count.
type errNotCounted struct{ error }

func (e errNotCounted) Unwrap() error { return e.error }

// errInvalid is the error of a response of Sync that cannot be carried out.
type errInvalid struct{ error }

// errRelated is the error of an entry whose related objects cannot be found.
type errRelated struct{ error }

func (e errRelated) Unwrap() error { return e.error }

// errTimeout is the error of author's code that took too long.
type errTimeout struct {
	name  string
	after time.Duration
	err   error // what it returned, or errAbandoned
}

func (e errTimeout) Unwrap() error { return e.err }

func (e errTimeout) Error() string {
	text := fmt.Sprintf("%s did not end within %s", e.name, e.after)
	if errors.Is(e.err, errAbandoned) {
		return text + " and still runs: it must return when its context ends"
	}
	return text + ": " + e.err.Error()
}

// errPanic is a panic in the author's code.
type errPanic struct{ value any }

func (e errPanic) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// errInternal is a panic outside of a call of the author's code.
type errInternal struct{ error }

func (e errInternal) Unwrap() error { return e.error }

// errGaveUp is an error that is not retried any more.
type errGaveUp struct {
	attempts int
	err      error
}

func (e errGaveUp) Unwrap() error { return e.err }

func (e errGaveUp) Error() string {
	return fmt.Sprintf("gave up after %d attempts and waits for a change: %s", e.attempts, unmarkedText(e.err))
}

// giveUpIfLast returns the error as an errGaveUp if this attempt is the last one that the
// limit allows.
func (s *state) giveUpIfLast(err error, limit int) error {
	if err == nil || !s.failures.IsLastAttempt(limit) || isTerminal(err) {
		return err
	}
	return errGaveUp{limit, err}
}

// delaysReport reports whether the status and Events do not show an error yet: it consists of writes that
// failed for a reason which often passes by itself, and has not lasted.
func (s *subject) delaysReport(err error) bool {
	failed, alone := backoff.FailedIn(err)
	lasts := func(f backoff.Failed) bool { return !f.IsYoung(s.loop.now()) }
	return alone && !isTerminal(err) && !slices.ContainsFunc(failed, lasts)
}

// isTerminal reports whether an error waits for a change: one that the author calls
// terminal, or one after which the retries were given up. Of several errors all have
// to be; a child that could not be applied is retried.
func isTerminal(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.As(err, new(errGaveUp)):
		return true
	case errors.As(err, new(errTakeover)), errors.As(err, new(errChild)), errors.As(err, new(errDeletion)), errors.As(err, new(errPatch)):
		return false
	}
	if isMarkedTerminal(err) {
		return true
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !isTerminal(err) })
	}
	return isTerminal(errors.Unwrap(err))
}

// isMarkedTerminal reports whether an error is one of ctrl.TerminalError, and not one around it.
func isMarkedTerminal(err error) bool {
	marked, ok := err.(interface{ Is(error) bool })
	return ok && marked.Is(ctrl.TerminalError(nil))
}

// unmarkedText returns the text of an error without what ctrl.TerminalError puts in front of its text, wherever in the
// chain that is.
func unmarkedText(err error) string {
	var wrapped []error
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		wrapped = several.Unwrap()
	} else if one := errors.Unwrap(err); one != nil {
		wrapped = []error{one}
	}
	text := err.Error()
	for _, inner := range wrapped {
		text = strings.Replace(text, inner.Error(), unmarkedText(inner), 1)
	}
	if isMarkedTerminal(err) {
		text = strings.TrimPrefix(text, "terminal error: ")
	}
	return text
}

// errorReason returns the reason of an error, for a condition, an Event and a metric.
func errorReason(err error) string {
	switch {
	case errors.As(err, new(errTakeover)): // the first one: the next start has to know
		return reasonTakeover
	case errors.As(err, new(errInternal)):
		return reasonInternal
	case errors.As(err, new(errPanic)):
		return reasonPanicked
	case errors.As(err, new(errTimeout)):
		return reasonTimedOut
	case errors.As(err, new(apply.ErrNameConflict)):
		return reasonNameConflict
	case errors.As(err, new(errMarksRemoved)), errors.As(err, new(errHeld)), errors.As(err, new(apply.ErrUnobserved)):
		return reasonConflict
	case errors.As(err, new(errInvalid)):
		return reasonInvalid
	case errors.As(err, new(process.ErrUnreadable)):
		return reasonUnreadable
	case errors.As(err, new(apply.ErrValueGone)):
		return reasonValueGone
	case errors.As(err, new(errInvalidPatch)):
		return reasonInvalidPatch
	case process.LacksRight(err): // also to write the parent
		return reasonForbidden
	case !errors.As(err, new(errChild)) && !errors.As(err, new(errDeletion)) && !errors.As(err, new(errPatch)) && !errors.As(err, new(errNotCounted)):
		return reasonFailed
	case apierrors.IsForbidden(err):
		return reasonForbidden
	case errors.As(err, new(errPatch)) && !errors.As(err, new(errChild)):
		return reasonPatch
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return reasonInvalid
	}
	return reasonApply
}

// errorMessage returns the text of an error for a status or an Event.
func errorMessage(err error) string {
	return truncateText(strings.ReplaceAll(unmarkedText(err), "\n", "; "))
}

// truncateText shortens a text to what an Event has room for.
func truncateText(text string) string { return process.TruncateText(text) }
