package main

import (
	"errors"
	"fmt"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// The exit codes of every command. A script can tell "there are differences" from "this did not
// work".
const (
	exitDone     = 0 // done, nothing to report
	exitFindings = 1 // differences, conflicts or findings, already reported
	exitInvalid  = 2 // invalid input or usage
	exitTrouble  = 3 // anything else
)

// errReported is the error of a command that has printed its findings itself: run prints nothing
// more and exits with 1.
var errReported = errors.New("findings reported")

// errEnded is the error of another opgen that this one has run. That one has printed it.
type errEnded struct{ code int }

// Error returns the exit code in words.
func (e errEnded) Error() string { return fmt.Sprintf("ended with %d", e.code) }

// Is makes it an errReported.
func (e errEnded) Is(other error) bool { return other == errReported }

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var (
		ended    errEnded
		input    project.InputError
		problems spec.Problems
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &ended):
		return ended.code
	case errors.Is(err, errReported):
		return exitFindings
	case errors.As(err, &input), errors.As(err, &problems):
		return exitInvalid
	default:
		return exitTrouble
	}
}
