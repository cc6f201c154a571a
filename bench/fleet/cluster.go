package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// cluster is a control plane.
type cluster struct {
	kubeconfig string
	auditLog   string
	pids       map[string]int // of its programs by name; empty where they are not known
	own        bool           // brought up here
}

// clusters brings control planes up and takes them down. Each contender gets a fresh one each time, so that none
// pays for what another has left behind.
type clusters struct {
	opgen       string
	name        string
	controllers bool // the controller manager runs while contenders are measured
	given       *cluster
}

// givenCluster returns the cluster of KUBECONFIG and OPGEN_AUDIT_LOG, or nil where they are not both set.
func givenCluster() (*cluster, error) {
	c := cluster{kubeconfig: os.Getenv("KUBECONFIG"), auditLog: os.Getenv("OPGEN_AUDIT_LOG")}
	if c.kubeconfig == "" || c.auditLog == "" {
		return nil, nil
	}
	var err error
	if c.pids, err = processes(filepath.Dir(c.auditLog)); errors.Is(err, os.ErrNotExist) {
		err = nil // a cluster of another kind
	}
	return &c, err
}

func (c *clusters) up(ctx context.Context) (*cluster, error) {
	if c.given != nil {
		return c.given, nil
	}
	out, err := exec.CommandContext(ctx, c.opgen, "cluster", "up", "--name", c.name, "-o", "json").Output()
	if err != nil {
		return nil, fmt.Errorf("opgen cluster up: %w%s", err, said(err))
	}
	var instance struct{ Dir string }
	if err := json.Unmarshal(out, &instance); err != nil {
		return nil, fmt.Errorf("what opgen cluster up printed: %w", err)
	}
	pids, err := processes(instance.Dir)
	return &cluster{filepath.Join(instance.Dir, "kubeconfig"), filepath.Join(instance.Dir, "audit.log"), pids, true}, err
}

func (c *clusters) down(ctx context.Context) error {
	if c.given != nil {
		return nil
	}
	if out, err := exec.CommandContext(ctx, c.opgen, "cluster", "down", "--name", c.name).CombinedOutput(); err != nil {
		return fmt.Errorf("opgen cluster down: %w\n%s", err, out)
	}
	return nil
}

// hold stops the controller manager of a cluster of our own: it would make ReplicaSets, Pods and EndpointSlices, at 20
// requests a second and for minutes, while the contenders are measured. The returned function lets it go on.
func (c *cluster) hold() (release func()) {
	pid := c.pids["kube-controller-manager"]
	if !c.own || pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return func() {}
	}
	return func() { _ = syscall.Kill(pid, syscall.SIGCONT) } // it may have ended
}

// processes reads the process ids of the programs of a cluster of opgen's from its directory.
func processes(dir string) (map[string]int, error) {
	data, err := os.ReadFile(filepath.Join(dir, "instance.json"))
	if err != nil {
		return nil, err
	}
	var instance struct {
		Processes []struct {
			Name string
			PID  int
		}
	}
	err = json.Unmarshal(data, &instance)
	pids := map[string]int{}
	for _, p := range instance.Processes {
		pids[p.Name] = p.PID
	}
	return pids, err
}

// said returns what a command has written to its standard error.
func said(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "\n" + string(exit.Stderr)
	}
	return ""
}
