package scaffold

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/scaffold/modules"
	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/workdir"
)

var offline = []string{"GOFLAGS=-mod=readonly -ldflags=-w", "GOPROXY=off", "OPGEN_TEST_KUBECONFIG="}

// A project builds, vets and passes its own tests, without the network. With -update the test
// writes the module files that projects start from, project.mod and project.sum, again, which needs
// the network.
func TestGeneratedProject(t *testing.T) {
	longtest.Skip(t, "it builds and tests four projects: the script create_api builds one")
	for _, name := range []string{"echo-server", "many-kinds", "whole-operator", "controllers"} {
		t.Run(name, func(t *testing.T) {
			dir := generate(t, name)
			if *update && name == "echo-server" {
				tidy(t, dir)
			}
			run(t, dir, offline, "go", "build", "./...")
			run(t, dir, offline, "go", "vet", "./...")
			run(t, dir, offline, "go", "test", "./...")
		})
	}
}

func TestGoGenerateFindsNothingToDo(t *testing.T) {
	longtest.Skip(t, "it builds opgen")
	dir := generate(t, "echo-server")
	before := contents(t, dir)
	run(t, dir, offline, "go", "generate", "./...")
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("a fresh project changes (-before +after):\n%s", diff)
	}
}

// generate writes a golden project into a new folder, with opgen replaced by this checkout.
func generate(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("../../testdata/golden/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, archive)
	in.Tool = Tool{Checkout: checkout}
	for _, f := range archive.Files {
		if isSpec(in, f.Name) {
			in.Extra = append(in.Extra, tree.File{Path: f.Name, Content: f.Data, Owner: tree.Once})
		}
	}
	set, err := Plan(Source{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	dir := workdir.New(t, "project-"+name)
	changes, err := set.Diff(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := changes.Apply(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tidy lets go mod tidy complete the module files of the project in dir, and keeps them for all
// projects.
func tidy(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, []string{"GOFLAGS=-mod=mod"}, "go", "mod", "tidy")
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, drop := range []error{
		file.AddModuleStmt("project"), file.DropRequire(modules.Opgen), file.DropReplace(modules.Opgen, ""),
	} {
		if drop != nil {
			t.Fatal(drop)
		}
	}
	file.Cleanup()
	data, err = file.Format()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "modules/project.mod", string(data))
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "modules/project.sum", string(sums))
}

// contents returns the files of a folder by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, files := map[string]string{}, os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, env []string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out.Bytes())
	}
}
