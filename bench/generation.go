package main

import (
	"context"
	"path/filepath"
)

// generators are opgen, doing everything again, and controller-gen for a project, which leave it as it is.
func (b *bench) generators(dir string) (opgen contender, controllerGen func(paths string) contender) {
	return contender{name: "opgen generate --no-cache", dir: dir, args: []string{b.peers.opgen, "generate", "--no-cache"}}, func(paths string) contender {
		return contender{name: "controller-gen object crd rbac, paths=" + paths, dir: dir, args: []string{
			b.peers.controllerGen, "object", "crd:allowDangerousTypes=true", "rbac:roleName=manager", "paths=" + paths, "output:none",
		}}
	}
}

// echo compares generating the echo-server project: opgen from its spec, controller-gen from the Go types that opgen
// has generated for it. controller-gen is timed on the API package alone, the least that it needs, and on the whole
// project, as its users run it.
func (b *bench) echo(ctx context.Context) error {
	dir := filepath.Join(b.temp, "echo-operator")
	if err := b.makeEchoProject(ctx, dir); err != nil {
		return err
	}
	opgen, controllerGen := b.generators(dir)
	rows, err := b.timeInTurn(ctx, b.runs, opgen, controllerGen("./api/..."), controllerGen("./..."), b.unchanged(dir), b.idle())
	if err != nil {
		return err
	}
	b.table.add("generate the echo-server project", rows,
		fact{text: "of controller-gen on ./api/...", value: share("", rows[0].wall(), rows[1].wall(), 1).value},
		fact{text: "of controller-gen on ./...", value: share("", rows[0].wall(), rows[2].wall(), 1).value},
		factor("with nothing changed, of opgen version", int64(rows[3].wall()), int64(rows[4].wall()), 1.5),
	)
	return nil
}

// makeEchoProject makes the project of examples/echo-server once more, with the skeleton of its Sync.
func (b *bench) makeEchoProject(ctx context.Context, dir string) error {
	spec := filepath.Join(b.peers.checkout, "examples", "echo-server", "api", "echoserver.yaml")
	for _, c := range []contender{
		{name: "opgen init", dir: b.peers.checkout, args: []string{b.peers.opgen, "init", dir, "--module", "example.com/echo-operator"}},
		{name: "opgen create api", dir: dir, args: []string{b.peers.opgen, "create", "api", "-f", spec}},
	} {
		if _, err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}
