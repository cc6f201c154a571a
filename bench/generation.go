package main

import (
	"context"
	"path/filepath"
)

// generation compares generating the echo-server project: opgen from its spec, controller-gen from the Go types
// that opgen has generated for it. controller-gen is timed on the API package alone, the least that it needs,
// and on the whole project, as its users run it.
func generation(ctx context.Context, p peers, dir string) error {
	spec := filepath.Join(p.checkout, "examples", "echo-server", "api", "echoserver.yaml")
	for _, c := range []contender{
		{"opgen init", p.checkout, []string{p.opgen, "init", dir, "--module", "example.com/echo-operator"}},
		{"opgen create api", dir, []string{p.opgen, "create", "api", "-f", spec}},
	} {
		if _, err := c.run(ctx); err != nil {
			return err
		}
	}
	const out = "output:none"
	rows, err := contest(ctx,
		contender{"opgen generate", dir, []string{p.opgen, "generate"}},
		contender{"controller-gen object crd rbac, paths=./api/...", dir,
			[]string{p.controllerGen, "object", "crd", "rbac:roleName=manager", "paths=./api/...", out}},
		contender{"controller-gen object crd rbac, paths=./...", dir,
			[]string{p.controllerGen, "object", "crd", "rbac:roleName=manager", "paths=./...", out}},
	)
	if err != nil {
		return err
	}
	report("generate the echo-server project", rows)
	return nil
}
