package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// A made-up project gets through, and nothing of its checkout changes.
func TestMeasure(t *testing.T) {
	longtest.Skip(t, "it builds opgen, and takes a project over, with go mod tidy and go build")
	t.Chdir("../..")
	checkout := makeProject(t)
	before := filesIn(t, checkout)
	rows, err := measureAll(t.Context(), []string{checkout}, false)
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	r := rows[0]
	if !r.isGood() || r.refused != "" || !r.built || len(r.code) != 1 || len(r.taken) != 1 || r.now.equal != 1 {
		t.Errorf("%+v", r)
	}
	if after := filesIn(t, checkout); after != before {
		t.Errorf("the checkout has changed: %s, before: %s", after, before)
	}
}

// makeProject writes the project of a script, as a checkout.
func makeProject(t *testing.T) string {
	archive, err := txtar.ParseFile("testdata/script/from_kubebuilder_projects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, content []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "shop/"); ok {
			write(name, f.Data)
		}
	}
	for from, to := range map[string]string{"internal/scaffold/modules/project.mod": "go.mod", "go.sum": "go.sum"} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(to, content)
	}
	edit := exec.CommandContext(t.Context(), "go", "mod", "edit", "-module=example.com/shop", "-require=sigs.k8s.io/controller-runtime@v0.25.2", "-require=k8s.io/client-go@v0.37.2")
	if edit.Dir = dir; edit.Run() != nil {
		t.Fatal("go mod edit fails")
	}
	return dir
}

// filesIn returns the names of the files in a folder.
func filesIn(t *testing.T, dir string) string {
	var names []string
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}
