package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	specFile   = "examples/echo-server/api/echoserver.yaml"
	syncDir    = "internal/echoserver"
	sampleFile = "examples/echo-server/deploy/samples/demo_v1alpha1_echoserver.yaml"
)

// project is the generated operator: its folder, its cluster and its process.
type project struct {
	checkout, temp, dir string
	opgen               string // the built binary
	cluster             string // the name of the cluster; empty until it was asked for
	kubeconfig          string
	operator            *exec.Cmd
	exited              chan error
	log                 *os.File
}

// newProject makes the temporary folder that everything happens in.
func newProject() (*project, error) {
	checkout, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(checkout, specFile)); err != nil {
		return nil, fmt.Errorf("run this from the root of a checkout: %w", err)
	}
	temp, err := os.MkdirTemp("", "opgen-demo-")
	if err != nil {
		return nil, err
	}
	return &project{
		checkout: checkout,
		temp:     temp,
		dir:      filepath.Join(temp, "echo-operator"),
		opgen:    filepath.Join(temp, "bin", "opgen"),
		// Nothing is there before the cluster is up: the user's own clusters are never touched.
		kubeconfig: filepath.Join(temp, "kubeconfig"),
	}, nil
}

func (p *project) buildOpgen(ctx context.Context) error {
	return p.exec(ctx, p.checkout, "go", "build", "-o", p.opgen, "./cmd/opgen")
}

func (p *project) init(ctx context.Context) error {
	return p.exec(ctx, p.temp, p.opgen, "init", p.dir, "--module", "example.com/echo-operator", "--domain", "example.com")
}

func (p *project) createAPI(ctx context.Context) error {
	return p.exec(ctx, p.dir, p.opgen, "create", "api", "-f", filepath.Join(p.checkout, specFile))
}

// writeSync does what an author does in an editor: it replaces the skeletons by the code of the example.
func (p *project) writeSync(context.Context) error {
	example := filepath.Join(p.checkout, "examples", "echo-server", syncDir)
	for _, name := range []string{"sync.go", "sync_test.go"} {
		code, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, syncDir, name), code, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *project) test(ctx context.Context) error {
	return p.make(ctx, "build", "test")
}

// clusterUp lets the command's progress through: a first build takes minutes.
func (p *project) clusterUp(ctx context.Context) error {
	p.cluster = fmt.Sprintf("demo-%d", os.Getpid())
	up := exec.CommandContext(ctx, p.opgen, "cluster", "up", "--name", p.cluster)
	up.Cancel = func() error { return up.Process.Signal(syscall.SIGTERM) }
	up.Stdout, up.Stderr = os.Stdout, os.Stderr
	if err := up.Run(); err != nil {
		return err
	}
	env, err := exec.CommandContext(ctx, p.opgen, "cluster", "env", "--name", p.cluster).Output()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(env)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "export KUBECONFIG="); ok {
			p.kubeconfig = strings.Trim(value, `"'`)
			return nil
		}
	}
	return fmt.Errorf("opgen cluster env names no KUBECONFIG:\n%s", env)
}

func (p *project) install(ctx context.Context) error {
	return p.make(ctx, "install", "KUBECTL="+p.opgen+" cluster kubectl")
}

// startOperator runs the built operator with its log in a file, which a failed demo prints.
func (p *project) startOperator(context.Context) error {
	log, err := os.Create(filepath.Join(p.temp, "operator.log"))
	if err != nil {
		return err
	}
	p.log = log
	p.operator = exec.Command(filepath.Join(p.dir, "bin", "manager"),
		"--metrics-bind-address=0", "--health-probe-bind-address=0")
	p.operator.Env = p.env()
	p.operator.Stdout, p.operator.Stderr = log, log
	if err := p.operator.Start(); err != nil {
		p.operator = nil
		return err
	}
	p.exited = make(chan error, 1)
	go func() { p.exited <- p.operator.Wait() }()
	return nil
}

// stopOperator asks the operator to end and requires that it does so cleanly.
func (p *project) stopOperator(context.Context) error {
	if p.operator == nil {
		return nil
	}
	operator := p.operator
	p.operator = nil
	if err := operator.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the operator was no longer running: %w", err)
	}
	select {
	case err := <-p.exited:
		return err
	case <-time.After(30 * time.Second):
		return errors.Join(errors.New("the operator did not end within 30 s"), operator.Process.Kill())
	}
}

// cleanUp stops what still runs and removes what was made; a demo that failed shows the operator's log first.
func (p *project) cleanUp() error {
	failed := p.operator != nil
	err := p.stopOperator(context.Background())
	if failed {
		if log, readErr := os.ReadFile(p.log.Name()); readErr == nil {
			fmt.Printf("the operator's log:\n%s\n", log)
		}
	}
	if p.cluster != "" {
		err = errors.Join(err, p.exec(context.Background(), p.temp, p.opgen, "cluster", "down", "--name", p.cluster))
	}
	return errors.Join(err, os.RemoveAll(p.temp))
}

func (p *project) make(ctx context.Context, args ...string) error {
	return p.exec(ctx, p.dir, "make", append([]string{"--no-print-directory"}, args...)...)
}

// exec runs a command to its end and shows what it printed only when it did not succeed.
func (p *project) exec(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// env is the environment with the demo's own cluster and nothing of the user's.
func (p *project) env() []string {
	return append(os.Environ(), "KUBECONFIG="+p.kubeconfig)
}
