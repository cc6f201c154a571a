package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// contender is a command that does the job.
type contender struct {
	name string
	dir  string
	args []string
}

// row is what was measured of a contender.
type row struct {
	name  string
	times []time.Duration // sorted
}

func (r row) median() time.Duration { return r.times[len(r.times)/2] }

// contest runs the contenders in turn, so that what disturbs the machine disturbs all of them.
func contest(ctx context.Context, contenders ...contender) ([]row, error) {
	rows := make([]row, len(contenders))
	for n := range warmUps + runs {
		for i, c := range contenders {
			took, err := c.run(ctx)
			if err != nil {
				return nil, err
			}
			rows[i].name = c.name
			if n >= warmUps {
				rows[i].times = append(rows[i].times, took)
			}
		}
	}
	for _, r := range rows {
		slices.Sort(r.times)
	}
	return rows, nil
}

func (c contender) run(ctx context.Context) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", c.name, err, out)
	}
	return time.Since(start), nil
}

// peers are the built binaries.
type peers struct{ checkout, opgen, controllerGen string }

// samePeer requires the controller-gen that is timed to be the one that opgen is tested with.
func samePeer(checkout string) error {
	const path = "sigs.k8s.io/controller-tools"
	var versions []string
	for _, dir := range []string{checkout, filepath.Join(checkout, "bench")} {
		list := exec.Command("go", "list", "-m", "-f", "{{.Version}}", path)
		list.Dir = dir
		out, err := list.Output()
		if err != nil {
			return fmt.Errorf("version of %s in %s: %w", path, dir, err)
		}
		versions = append(versions, string(out))
	}
	if versions[0] != versions[1] {
		return fmt.Errorf("bench/go.mod pins %s %s, go.mod pins %s", path, versions[1], versions[0])
	}
	return nil
}

// build compiles opgen, and the controller-gen of the pinned controller-tools.
func build(ctx context.Context, bin string) (peers, error) {
	checkout, err := filepath.Abs("..")
	if err != nil {
		return peers{}, err
	}
	if err := samePeer(checkout); err != nil {
		return peers{}, err
	}
	p := peers{checkout, filepath.Join(bin, "opgen"), filepath.Join(bin, "controller-gen")}
	for _, c := range []contender{
		{"build opgen", checkout, []string{"go", "build", "-o", p.opgen, "./cmd/opgen"}},
		{"build controller-gen", filepath.Join(checkout, "bench"), []string{"go", "build", "-o", p.controllerGen, "sigs.k8s.io/controller-tools/cmd/controller-gen"}},
	} {
		if _, err := c.run(ctx); err != nil {
			return peers{}, err
		}
	}
	return p, nil
}
