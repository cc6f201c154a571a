package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// buildFlags are the flags that executables in images are compiled with: those of make build, and those
// that leave out what differs between folders and machines. Flags in GOFLAGS take precedence.
const buildFlags = `-tags=grpcnotrace -trimpath -buildvcs=false "-ldflags=-s -w -buildid="`

// interruptDelay is how long the go command has to end once it is interrupted.
const interruptDelay = 500 * time.Millisecond

// goCommand runs the go command in the folder of a project.
type goCommand struct {
	dir, goWork string
}

// checkMain returns an error unless a package is a program.
func (g goCommand) checkMain(ctx context.Context, pkg string, p v1.Platform) error {
	out, err := g.run(ctx, goEnvironment(p), "list", "-buildvcs=false", "-f={{.Name}}", "--", pkg)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n    name the folder of the operator's main, such as: opgen image ./cmd", pkg, err)
	}
	if found := strings.Fields(out); len(found) != 1 || found[0] != "main" {
		return fmt.Errorf("%s is not a package main\n    name the folder of the operator's main, such as: opgen image ./cmd", pkg)
	}
	return nil
}

// compile compiles a package for a platform into a file.
func (g goCommand) compile(ctx context.Context, pkg string, p v1.Platform, into string) error {
	own, err := g.run(ctx, nil, "env", "GOFLAGS")
	if err != nil {
		return err
	}
	env := append(goEnvironment(p), "GOFLAGS="+buildFlags+" "+strings.TrimSpace(own))
	if _, err := g.run(ctx, env, "build", "-o", into, "--", pkg); err != nil {
		return fmt.Errorf("go build for %s: %w", p, err)
	}
	return nil
}

// run runs the go command and returns its output.
func (g goCommand) run(ctx context.Context, env []string, args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go ends its compilers, too
	cmd.WaitDelay = interruptDelay
	if g.goWork != "" {
		cmd.Env = append(cmd.Env, "GOWORK="+g.goWork)
	}
	err := cmd.Run()
	switch said := strings.TrimSpace(stderr.String()); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("build interrupted: %w", context.Cause(ctx))
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the go command is not in PATH: install Go")
	case err != nil && said != "":
		return "", errors.New(said)
	}
	return stdout.String(), err
}
