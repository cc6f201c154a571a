package project

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// errNoGo is the error of a command of Go that cannot be run.
var errNoGo = errors.New("no Go toolchain found: put go on the PATH")

// runGo runs a command of Go in a folder, or in one without a module file if dir is empty, and returns what it prints.
// No go.work has an effect.
func runGo(ctx context.Context, dir string, env []string, args ...string) (output []byte, stderr string, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "opgen-go-"); err != nil {
			return nil, "", err
		}
		defer os.RemoveAll(dir)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off", "GO111MODULE=on"), env...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	output, err = cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		err = errNoGo
	}
	return output, printed.String(), err
}

// firstLine returns the first line of a message.
func firstLine(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// lastLines returns the last lines of a text. What go downloads comes before what it says about it.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
