package operator

import (
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// errChild is a child that could not be applied or deleted.
type errChild struct {
	key apply.Key
	err error
}

func (e errChild) Unwrap() error { return e.err }

func (e errChild) Error() string {
	if process.LacksRight(e.err) {
		return fmt.Sprintf("%s: the operator's role does not allow it: list the kind under operator.children and run opgen generate, or see the API server's reason: %v", e.key, e.err)
	}
	if errors.As(e.err, new(apply.ErrTaken)) {
		return e.err.Error()
	}
	return fmt.Sprintf("%s: %v", e.key, e.err)
}
