// Command demo shows opgen's main job from end to end: a spec file becomes a project, the project's operator
// runs against a real Kubernetes API server, and what people do to its objects is followed and repaired.
//
//	main.go    the steps, in order, with their times
//	project.go generating and running the operator, as its author would from a shell
//	objects.go what the demo does to the objects in the cluster, and what it waits for
//
// It runs from the root of a checkout (make demo), works in a temporary folder with a cluster of its own, and
// leaves neither behind. The last line is "demo: passed in N s"; the exit code is 0 only then.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	start := time.Now()
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Printf("demo: FAILED after %.0f s: %v\n", time.Since(start).Seconds(), err)
		os.Exit(1)
	}
	fmt.Printf("demo: passed in %.0f s\n", time.Since(start).Seconds())
}

// step is one thing that the demo does, in words and in code.
type step struct {
	what string
	do   func(context.Context) error
}

func run(ctx context.Context) (err error) {
	p, err := newProject()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.cleanUp()) }()
	o := &objects{project: p}
	steps := []step{
		{"build opgen", p.buildOpgen},
		{"opgen init: an empty project", p.init},
		{"opgen create api: types, CRD, RBAC and wiring from the spec", p.createAPI},
		{"write the Sync function (copied from examples/echo-server)", p.writeSync},
		{"make build test: the project's own tests", p.test},
		{"opgen cluster up: a real control plane (the first time it is built, for minutes)", p.clusterUp},
		{"make install: the CRD", p.install},
		{"start the operator", p.startOperator},
		{"apply the sample: Pod, Service and status follow", o.create},
		{"change spec.serviceName: the Service follows in place, the Pod is made anew", o.change},
		{"delete the Service: it comes back", o.deleteChild},
		{"delete the EchoServer: its children go", o.deleteParent},
		{"stop the operator: it ends in order", p.stopOperator},
	}
	for n, s := range steps {
		if err := runStep(ctx, n+1, len(steps), s); err != nil {
			return err
		}
	}
	return nil
}

// runStep announces a step before it starts, since some take minutes, and adds how long it took.
func runStep(ctx context.Context, n, of int, s step) error {
	fmt.Printf("[%2d/%d] %s\n", n, of, s.what)
	start := time.Now()
	if err := s.do(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.what, err)
	}
	fmt.Printf("        done in %.1f s\n", time.Since(start).Seconds())
	return ctx.Err()
}

// say prints what a step has seen.
func say(format string, args ...any) {
	fmt.Printf("        "+format+"\n", args...)
}
