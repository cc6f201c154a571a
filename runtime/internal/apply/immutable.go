package apply

import (
	"slices"
	"strings"
)

// ErrImmutable says that a change needs a new child, because a field of the child is immutable.
type ErrImmutable struct {
	Fields []string // as the API server names them
	Reason string   // of the refusal, in the words of the API server
	err    error
	advice string
}

func newErrImmutable(refusal error, desired Desired, fields []refusedField) ErrImmutable {
	immutable := ErrImmutable{err: refusal}
	if !HoldsUserData(desired.Kind.GroupKind()) && len(desired.Generate) == 0 { // a generated value would be lost
		immutable.advice = "; whenImmutable: Recreate would recreate the child"
	}
	var reasons []string
	for _, field := range fields {
		if !slices.Contains(immutable.Fields, field.name) {
			immutable.Fields = append(immutable.Fields, field.name)
		}
		if !slices.Contains(reasons, field.message) {
			reasons = append(reasons, field.message)
		}
	}
	immutable.Reason = strings.Join(reasons, "; ")
	return immutable
}

func (e ErrImmutable) Error() string {
	return strings.Join(e.Fields, ", ") + " cannot be changed in place" + e.advice + ": " + e.Reason
}

// Unwrap returns the API server's own error.
func (e ErrImmutable) Unwrap() error { return e.err }
