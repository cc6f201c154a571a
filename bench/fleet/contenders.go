package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The keys of contenders that rows refer to.
const (
	floor   = "floor"
	careful = "hand-10"
	single  = "hand-1"
	naive   = "apply-10"
	opgen   = "opgen"
)

// build compiles the contenders that take part, and opgen, which must have generated the operator.
func (b *bench) build(ctx context.Context, only string) error {
	checkout, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	bin := filepath.Join(b.temp, "bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.MkdirAll(b.logs(), 0o755)); err != nil {
		return err
	}
	operator := filepath.Join(checkout, "bench", "fleet", "operator")
	b.clusters.opgen = filepath.Join(bin, "opgen")
	for _, step := range []struct {
		dir  string
		args []string
	}{
		{checkout, []string{"go", "build", "-o", b.clusters.opgen, "./cmd/opgen"}},
		{operator, []string{b.clusters.opgen, "check"}},
		{operator, []string{"go", "build", "-tags=grpcnotrace", "-o", filepath.Join(bin, "operator"), "."}},
		{".", []string{"go", "build", "-o", bin, "./fleet/floor", "./fleet/handwritten"}},
	} {
		cmd := exec.CommandContext(ctx, step.args[0], step.args[1:]...)
		cmd.Dir = step.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w (make golden regenerates the operator)\n%s", strings.Join(step.args, " "), err, out)
		}
	}
	handwritten := filepath.Join(bin, "handwritten")
	b.contenders = []contender{
		{floor, "the floor", filepath.Join(bin, "floor"), nil, false},
		{careful, "hand-written, 10 workers", handwritten, []string{"--workers", "10"}, true},
		{single, "hand-written, 1 worker", handwritten, []string{"--workers", "1"}, true},
		{naive, "server-side apply in each reconcile, 10 workers", handwritten, []string{"--workers", "10", "--apply"}, true},
		{opgen, "opgen", filepath.Join(bin, "operator"), []string{"--metrics-secure=false"}, true},
	}
	if only == "" {
		return nil
	}
	names := strings.Split(only, ",")
	b.contenders = slices.DeleteFunc(b.contenders, func(c contender) bool { return !slices.Contains(names, c.key) })
	if len(b.contenders) != len(names) {
		return fmt.Errorf("--contenders %s: there are %s", only, strings.Join([]string{floor, careful, single, naive, opgen}, ", "))
	}
	return nil
}
