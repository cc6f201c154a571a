package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// peers are the built binaries.
type peers struct{ checkout, opgen, pipeline, controllerGen string }

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

// build compiles opgen, the command that takes CRDs through its pipeline, and the controller-gen of the pinned
// controller-tools.
func build(ctx context.Context, bin string) (peers, error) {
	checkout, err := filepath.Abs("..")
	if err != nil {
		return peers{}, err
	}
	if err := samePeer(checkout); err != nil {
		return peers{}, err
	}
	p := peers{checkout, filepath.Join(bin, "opgen"), filepath.Join(bin, "pipeline"), filepath.Join(bin, "controller-gen")}
	for _, c := range []contender{
		{name: "build opgen", dir: checkout, args: []string{"go", "build", stripped, "-o", p.opgen, "./cmd/opgen"}},
		{name: "build pipeline", dir: checkout, args: []string{"go", "build", "-o", p.pipeline, "./tools/pipeline"}},
		{name: "build controller-gen", dir: filepath.Join(checkout, "bench"), args: []string{"go", "build", "-o", p.controllerGen, "sigs.k8s.io/controller-tools/cmd/controller-gen"}},
	} {
		if _, err := c.run(ctx); err != nil {
			return peers{}, err
		}
	}
	return p, nil
}
