package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// modulePath is the path of the module that the generated packages are in, each CRD's below a
// folder of its own.
const modulePath = "example.com/corpus"

// module is a Go module in a folder that is removed in the end.
type module struct {
	dir   string
	names map[string]int
}

// newModule makes a module with the requirements of this one, whose root is the working folder.
func newModule() (*module, error) {
	dir, err := os.MkdirTemp("", "opgen-corpus-")
	if err != nil {
		return nil, err
	}
	m := &module{dir: dir, names: map[string]int{}}
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module "+modulePath))
	return m, errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644),
	)
}

// moduleRoot returns the folder of this repository's go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("run this in the repository of opgen")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

func (m *module) remove() { _ = os.RemoveAll(m.dir) }

// claimName returns a name for a CRD that no other has.
func (m *module) claimName(name string) string {
	m.names[name]++
	if n := m.names[name]; n > 1 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// addPackages generates the Go packages of a CRD's versions and counts their types.
func (t *table) addPackages(r *result, m *module, api *spec.API) {
	packages, problems := gomodel.Packages(&spec.Project{Module: modulePath + "/" + r.name}, []*spec.API{api})
	if len(problems) > 0 {
		t.addFailure("%s: %v", r.name, problems)
		return
	}
	for _, pkg := range packages {
		if err := m.writePackage(r.name, pkg); err != nil {
			t.addFailure("%s: %v", r.name, err)
			return
		}
		r.subject.packages = append(r.subject.packages, pkg)
		for _, declared := range pkg.Types {
			if !declared.Object && slices.ContainsFunc(declared.Fields, func(f gomodel.Field) bool { return f.Name != "" }) {
				r.structs++
			}
		}
		for _, path := range openNodes(r.subject.crd, pkg) {
			r.open++
			t.addFailure("%s: %s", r.name, path)
		}
	}
}

// renderers make the files of a package.
var renderers = map[string]func(gomodel.Package) ([]byte, error){
	"zz_generated.types.go":    templates.Types,
	"zz_generated.deepcopy.go": templates.DeepCopy,
	"zz_generated.register.go": templates.Register,
}

func (m *module) writePackage(name string, pkg gomodel.Package) error {
	dir := filepath.Join(m.dir, name, pkg.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for file, render := range renderers {
		source, err := render(pkg)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// goCommand returns a go command in the module. Its paths are trimmed, so that what has been
// compiled once is taken from the cache, although the module lies elsewhere each time.
func (m *module) goCommand(ctx context.Context, command string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append([]string{command, "-trimpath"}, args...)...)
	cmd.Dir = m.dir
	cmd.Env = m.environ()
	return cmd
}

func (m *module) environ() []string { return append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off") }

var vetPackage = regexp.MustCompile(`(?m)^# (?:\[)?` + regexp.QuoteMeta(modulePath) + `/([^/]+)/`)

// vetPackages compiles and vets all packages, and returns the CRDs whose do not.
func (m *module) vetPackages(ctx context.Context) ([]string, error) {
	out, err := m.goCommand(ctx, "vet", "./...").CombinedOutput()
	if err == nil {
		return nil, nil
	}
	var broken []string
	for _, match := range vetPackage.FindAllStringSubmatch(string(out), -1) {
		broken = append(broken, match[1])
	}
	if len(broken) == 0 {
		return nil, fmt.Errorf("go vet: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	fmt.Fprintln(os.Stderr, string(out))
	slices.Sort(broken)
	return slices.Compact(broken), nil
}
