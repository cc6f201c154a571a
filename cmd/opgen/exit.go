package main

import "errors"

// The exit codes of every command.
const (
	exitDone     = 0 // done, nothing to report
	exitFindings = 1 // differences, conflicts or findings, already reported
	exitInvalid  = 2 // invalid input or usage
	exitTrouble  = 3 // anything else
)

// errReported marks findings that the command has printed itself: run prints nothing more and exits with 1.
var errReported = errors.New("findings reported")

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.Is(err, errReported):
		return exitFindings
	case errors.As(err, &usage):
		return exitInvalid
	default:
		return exitTrouble
	}
}
