package gotypes_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// downloadModules has the go command download all modules of go.mod. It looks into each of them
// before it says that none has a package, also into those that no build of this system needs.
var downloadModules = sync.OnceValue(func() error {
	if out, err := exec.Command("go", "mod", "download").CombinedOutput(); err != nil {
		return fmt.Errorf("go mod download: %w\n%s", err, out)
	}
	return nil
})

// module writes an archive into a folder as a Go module that requires what this one requires, so
// that it needs nothing that is not in the module cache.
func module(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	if err := downloadModules(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	requires := regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(read(t, "../../go.mod"), []byte("module example.com/m"))
	write(t, filepath.Join(dir, "go.mod"), requires)
	write(t, filepath.Join(dir, "go.sum"), read(t, "../../go.sum"))
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) == ".go" {
			write(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	return dir
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func file(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func parse(t *testing.T, a *txtar.Archive, name string) *spec.API {
	t.Helper()
	api, problems := spec.ParseAPI(name, file(a, name))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return api
}

func uses(api *spec.API, importer string) []gotypes.Use {
	var all []gotypes.Use
	for _, use := range api.GoTypes() {
		all = append(all, gotypes.Use{GoTypeUse: use, Importer: importer})
	}
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
