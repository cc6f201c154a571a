package apply

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ErrImmutable says that a child cannot take a change, which a new child could.
type ErrImmutable struct {
	Fields []string // as the API server names them
	Reason string   // why it refuses, in its own words
	err    error
}

func newErrImmutable(refusal error) ErrImmutable {
	immutable := ErrImmutable{Reason: refusal.Error(), err: refusal}
	status, ok := errors.AsType[*apierrors.StatusError](refusal)
	if !ok || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return immutable
	}
	var reasons []string
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Field == "" || cause.Field == "<nil>" { // what follows from another
			continue
		}
		if !slices.Contains(immutable.Fields, cause.Field) {
			immutable.Fields = append(immutable.Fields, cause.Field)
		}
		if !slices.Contains(reasons, cause.Message) {
			reasons = append(reasons, cause.Message)
		}
	}
	immutable.Reason = cmp.Or(strings.Join(reasons, "; "), immutable.Reason)
	return immutable
}

func (e ErrImmutable) Error() string {
	fields := "it"
	if len(e.Fields) > 0 {
		fields = strings.Join(e.Fields, ", ")
	}
	return fields + " cannot be changed in place; whenImmutable: Recreate would replace the child: " + e.Reason
}

// Unwrap returns the API server's own error.
func (e ErrImmutable) Unwrap() error { return e.err }
