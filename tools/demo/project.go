package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

const (
	specFile   = "examples/echo-server/api/echoserver.yaml"
	syncDir    = "internal/echoserver"
	sampleFile = "examples/echo-server/deploy/samples/demo_v1alpha1_echoserver.yaml"
)

// project is the generated operator: its folder, its cluster and its process.
type project struct {
	screen              *screen
	checkout, temp, dir string
	opgen               string // the built binary
	cluster             *controlPlane
	operator            *operator
	compiling           atomic.Pointer[compilation]
}

// newProject makes the temporary folder that everything happens in.
func newProject(s *screen) (*project, error) {
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
	if err := os.Mkdir(filepath.Join(temp, "tmp"), 0o700); err != nil {
		return nil, err
	}
	p := &project{
		screen:   s,
		checkout: checkout,
		temp:     temp,
		dir:      filepath.Join(temp, "echo-operator"),
		opgen:    filepath.Join(temp, "bin", "opgen"),
	}
	p.cluster = newControlPlane(p)
	p.operator = &operator{project: p}
	return p, nil
}

func (p *project) buildOpgen(ctx context.Context) error {
	_, err := p.compile(ctx, p.checkout, []string{"./cmd/opgen"}, "go", "build", "-ldflags=-s", "-o", p.opgen, "./cmd/opgen")
	return err
}

func (p *project) init(ctx context.Context) error {
	return p.run(ctx, p.temp, p.opgen, "init", p.dir, "--module", "example.com/echo-operator", "--domain", "example.com")
}

func (p *project) createAPI(ctx context.Context) error {
	if err := p.run(ctx, p.dir, p.opgen, "create", "api", "-f", filepath.Join(p.checkout, specFile)); err != nil {
		return err
	}
	return p.showFiles()
}

// showFiles prints the files of the project, a line for each folder. Of optional components of the deployment it prints the
// names alone.
func (p *project) showFiles() error {
	return filepath.WalkDir(p.dir, func(folder string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if filepath.Base(filepath.Dir(folder)) == "components" {
			return filepath.SkipDir
		}
		entries, err := os.ReadDir(folder)
		names := ""
		for _, entry := range entries {
			if !entry.IsDir() || filepath.Base(folder) == "components" {
				names += " " + entry.Name()
			}
		}
		if name, _ := filepath.Rel(p.temp, folder); names != "" {
			p.screen.say("%s/:%s", name, names)
		}
		return err
	})
}

// writeSync does what an author does in an editor: it replaces the skeletons by the code of the
// example.
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

// test builds the operator and runs the project's tests, and prints which have passed.
func (p *project) test(ctx context.Context) error {
	printed, err := p.compile(ctx, p.dir, []string{"-test", "./..."}, "make", "--no-print-directory", "build", "test")
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "--- PASS: ") || strings.HasPrefix(line, "ok ") {
			p.screen.say("%s", strings.TrimSuffix(line, "\n"))
		}
	}
	return err
}

func (p *project) install(ctx context.Context) error {
	return p.make(ctx, "install", "KUBECTL='"+p.opgen+"' cluster kubectl")
}

// cleanUp stops what still runs and removes what was made. A demo that failed shows the operator's
// log first.
func (p *project) cleanUp(failed bool) error {
	ctx := context.Background()
	err := p.operator.cleanUp(ctx, failed)
	return errors.Join(err, p.cluster.down(ctx), os.RemoveAll(p.temp))
}

func (p *project) make(ctx context.Context, args ...string) error {
	return p.run(ctx, p.dir, "make", append([]string{"--no-print-directory"}, args...)...)
}

func (p *project) run(ctx context.Context, dir, name string, args ...string) error {
	_, err := runCommand(newCommand(ctx, p.env(), dir, name, args...))
	return err
}

// env is the environment with the demo's own cluster and temporary files, and nothing of the
// user's.
func (p *project) env() []string {
	return append(os.Environ(), "KUBECONFIG="+p.cluster.kubeconfig, "TMPDIR="+filepath.Join(p.temp, "tmp"))
}
