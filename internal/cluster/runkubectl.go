package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// runKubectl runs kubectl and returns what it prints. An error is what it says on standard error.
func runKubectl(ctx context.Context, path string, arguments ...string) ([]byte, error) {
	var problem bytes.Buffer
	command := exec.CommandContext(ctx, path, arguments...)
	command.Env = append(os.Environ(), "KUBERC=off") // no defaults and aliases of the user, and no warning about them
	command.Stderr = &problem
	data, err := command.Output()
	if err != nil && problem.Len() > 0 {
		err = errors.New(strings.TrimSpace(problem.String()))
	}
	return data, err
}
