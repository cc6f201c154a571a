// Command demo shows opgen's main job from end to end: a spec file becomes a project, the project's
// operator runs against a real Kubernetes API server, and what people do to its objects is followed
// and repaired.
//
//	main.go     the steps, in order, with their times
//	overview.go what is printed first: what takes how long
//	project.go  generating, building and testing the operator, as its author would from a shell
//	operator.go the operator's process
//	compiling.go how far what is compiled is, and how long the rest takes
//	cluster.go  the control plane: its build, in the background of other steps, and its start
//	objects.go  what the demo does to the objects in the cluster, and what it waits for
//	kubectl.go  reading and writing objects with the control plane's kubectl
//	command.go  running commands, in the foreground and in the background
//	screen.go   what is printed
//
// It runs from the root of a checkout (make demo), works in a temporary folder with a cluster of
// its own, and leaves neither behind. It imports the standard library alone, so that it starts
// before anything is downloaded. The last line is "demo: passed in N s"; the exit code is 0 only
// then.
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
	start, s := time.Now(), newScreen(os.Stdout)
	err := run(ctx, s)
	stop()
	if err != nil {
		s.print("demo: FAILED after %.0f s: %v", time.Since(start).Seconds(), err)
		os.Exit(1)
	}
	s.print("demo: passed in %.0f s", time.Since(start).Seconds())
}

// run does all steps, and removes what they have made.
func run(ctx context.Context, s *screen) error {
	p, err := newProject(s)
	if err != nil {
		return err
	}
	err = runSteps(ctx, p)
	return errors.Join(err, p.cleanUp(err != nil))
}

// step is one thing that the demo does, in words and in code.
type step struct {
	what string
	do   func(context.Context) error
}

func runSteps(ctx context.Context, p *project) error {
	o := &objects{project: p}
	steps := []step{
		{"build opgen", p.buildOpgen},
		{"opgen cluster up --build-only: a control plane, built in the background where there is none", p.cluster.prepare},
		{"opgen init: an empty project", p.init},
		{"opgen create api: types, CRD, RBAC and wiring from the spec", p.createAPI},
		{"write the Sync function (copied from examples/echo-server)", p.writeSync},
		{"make build test: the operator, and the project's own tests", p.test},
		{"opgen cluster up: the control plane starts", p.cluster.up},
		{"make install: the CRD", p.install},
		{"start the operator", p.operator.start},
		{"apply the sample: Pod, Service and status follow", o.create},
		{"change spec.serviceName: the Service follows in place, the Pod is recreated", o.change},
		{"delete the Service: it comes back", o.deleteChild},
		{"delete the EchoServer: its children go", o.deleteParent},
		{"stop the operator: it ends in order", p.operator.stop},
	}
	printOverview(p.screen, p.temp, len(steps))
	for n, step := range steps {
		if err := runStep(ctx, p, n+1, len(steps), step); err != nil {
			return err
		}
	}
	return nil
}

// runStep announces a step before it starts, since some take minutes, and adds how long it took.
func runStep(ctx context.Context, p *project, n, of int, s step) error {
	p.screen.print("[%2d/%d] %s", n, of, s.what)
	start := time.Now()
	hideStatus := p.screen.showStatus(p.status)
	err := s.do(ctx)
	hideStatus()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.what, err)
	}
	p.screen.say("done in %.1f s", time.Since(start).Seconds())
	return nil
}
