package packages

import (
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
