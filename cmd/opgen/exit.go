package main

import (
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/internal/spec"
)

// The exit codes of every command.
const (
	exitDone     = 0 // done, nothing to report
	exitFindings = 1 // differences, conflicts or findings, already reported
	exitInvalid  = 2 // invalid input or usage
	exitTrouble  = 3 // anything else
)

// errReported marks findings that the command has printed itself: run prints nothing more and exits with 1.
var errReported = errors.New("findings reported")

// usageError is a mistake in the command line, or in what it names.
type usageError struct{ error }

// Unwrap gives errors.Is and errors.As the mistake itself.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var (
		usage    usageError
		problems spec.Problems
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errReported):
		return exitFindings
	case errors.As(err, &usage), errors.As(err, &problems):
		return exitInvalid
	default:
		return exitTrouble
	}
}
