package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// controlPlane is the demo's cluster.
type controlPlane struct {
	project    *project
	name       string
	kubeconfig string   // a file that is not there before the cluster is up: the user's own clusters are never touched
	flags      []string // of opgen cluster up
	build      atomic.Pointer[background]
	pace       pace // of the build
	stopBuild  context.CancelFunc
	started    bool
}

func newControlPlane(p *project) *controlPlane {
	return &controlPlane{
		project:    p,
		name:       fmt.Sprintf("demo-%d", os.Getpid()),
		kubeconfig: filepath.Join(p.temp, "kubeconfig"),
		stopBuild:  func() {},
	}
}

// prepare finds out whether there are executables of a control plane, and starts building them
// where there are none.
func (c *controlPlane) prepare(ctx context.Context) error {
	plan, err := c.planUp(ctx)
	if err != nil {
		return err
	}
	if len(plan.Missing) > 0 {
		c.project.screen.say("%s is not used: the demo needs %s, too", plan.Assets, strings.Join(plan.Missing, " and "))
		c.flags = []string{"--assets="}
		if plan, err = c.planUp(ctx); err != nil {
			return err
		}
	}
	if !plan.Build {
		c.project.screen.say("Kubernetes %s is there, in %s: nothing to build", plan.Version, plan.Assets)
		return nil
	}
	c.project.screen.say("there is none: the build of Kubernetes %s starts now", plan.Version)
	return c.startBuild(ctx)
}

// upPlan is what opgen cluster up --dry-run says that it would do.
type upPlan struct {
	Build           bool
	Assets, Version string
	Missing         []string
}

func (c *controlPlane) planUp(ctx context.Context) (plan upPlan, err error) {
	out, err := runCommand(c.upCommand(ctx, "--dry-run", "-o", "json"))
	if err != nil {
		return plan, err
	}
	return plan, json.Unmarshal(out, &plan)
}

func (c *controlPlane) startBuild(ctx context.Context) error {
	ctx, c.stopBuild = context.WithCancel(ctx)
	cmd := c.upCommand(ctx, "--build-only")
	lowPriority(cmd) // the project and its tests come first
	build, err := startCommand(cmd)
	c.build.Store(build)
	return err
}

// buildStatus says how far the build is while it runs.
func (c *controlPlane) buildStatus() string {
	build := c.build.Load()
	if build == nil || !build.running() {
		return ""
	}
	phase := buildPhase(build.printed.lastLine())
	if done, total := countedPackages(phase); total > 0 {
		phase += c.pace.estimate(done, total)
	}
	return "; control plane: " + phase
}

// buildPhase returns what a line of opgen's progress has between the name of what is built and the
// time.
func buildPhase(line string) string {
	if _, phase, found := strings.Cut(line, ", once: "); found {
		line = phase
	}
	if end := strings.LastIndex(line, ", "); end > 0 {
		line = line[:end]
	}
	return line
}

// up waits for the build, if there is one, and starts the cluster.
func (c *controlPlane) up(ctx context.Context) error {
	if build := c.build.Load(); build != nil {
		if err := build.wait(); err != nil {
			return err
		}
		c.project.screen.say("the control plane was built in %.0f s, beside the steps before", build.took.Seconds())
	}
	c.started = true
	out, err := runCommand(c.upCommand(ctx, "-o", "json"))
	if err != nil {
		return err
	}
	var instance struct{ Server, Version, Kubeconfig string }
	if err := json.Unmarshal(out, &instance); err != nil {
		return err
	}
	c.kubeconfig = instance.Kubeconfig
	c.project.screen.say("Kubernetes %s answers at %s", instance.Version, instance.Server)
	return nil
}

func (c *controlPlane) upCommand(ctx context.Context, args ...string) *exec.Cmd {
	return c.command(ctx, "up", append(c.flags[:len(c.flags):len(c.flags)], args...)...)
}

// command is opgen cluster VERB for this cluster.
func (c *controlPlane) command(ctx context.Context, verb string, args ...string) *exec.Cmd {
	args = append([]string{"cluster", verb, "--name", c.name}, args...)
	return newCommand(ctx, c.project.env(), c.project.temp, c.project.opgen, args...)
}

// down ends the build and the cluster, where they run.
func (c *controlPlane) down(ctx context.Context) error {
	c.stopBuild()
	if build := c.build.Load(); build != nil {
		<-build.ended
	}
	if !c.started {
		return nil
	}
	_, err := runCommand(c.command(ctx, "down"))
	return err
}
