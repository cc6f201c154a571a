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

// runGo runs a command of Go in a folder, or in one without a module file if dir is empty, and returns what it prints,
// without what it downloads.
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
	return output, withoutDownloads(printed.String()), err
}

// withoutDownloads removes what go downloads from what it says. It can be many lines, behind which an error is not seen.
func withoutDownloads(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go: downloading ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// firstLine returns the first line of a message.
func firstLine(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// lastLines returns the last lines of a text.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
