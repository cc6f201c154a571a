package packages

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/projecttest"
)

// generate makes a project from the files of an archive in testdata.
func generate(t *testing.T, archive string) (root string) {
	t.Helper()
	read, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range read.Files {
		files[f.Name] = f.Data
	}
	return projecttest.Make(t, files)
}

// writeFile writes a file of a project.
func writeFile(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
