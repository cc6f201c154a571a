package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// InputError is an error in the command line, or in a file or folder that it names. It has exit
// code 2.
type InputError struct{ Err error }

// Error returns the message of the error.
func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns the error for errors.Is and errors.As.
func (e InputError) Unwrap() error { return e.Err }

// InputErrorf returns an InputError with a formatted message.
func InputErrorf(format string, args ...any) error {
	return InputError{fmt.Errorf(format, args...)}
}

// fileError returns why a file cannot be read, without the name of the system call.
func fileError(name string, err error) error {
	var call *fs.PathError
	if errors.As(err, &call) {
		err = call.Err
	}
	return InputErrorf("%s: %w", name, err)
}

// ShortPath returns a path as a user would write it in the working directory.
func ShortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
