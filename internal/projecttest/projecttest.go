// Package projecttest makes projects for tests of other modules of this repository.
package projecttest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
)

// Make writes files into a new folder, by their paths there, and generates the project that they are. It returns the
// folder.
func Make(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// generate does what opgen generate does in a folder.
func generate(dir string) error {
	p, err := project.NoRecord(dir).Load("(devel)")
	if err != nil {
		return err
	}
	source, err := project.ReadGo(dir, p.Tree, p.Input())
	if err != nil {
		return err
	}
	planned, err := scaffold.Plan(source)
	if err != nil {
		return err
	}
	changes, err := planned.Diff(os.DirFS(dir))
	if err != nil {
		return err
	}
	return changes.Apply(dir)
}
