package scaffold

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen/internal/scaffold/modules"
)

// TestGoldenExampleTools holds tools.mod and tools.sum of the examples at what this opgen requires.
// Otherwise go generate and make do not work in them.
func TestGoldenExampleTools(t *testing.T) {
	goMods, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "go.mod"))
	if err != nil || len(goMods) == 0 {
		t.Fatalf("no examples were found (error: %v)", err)
	}
	goMods = append(goMods, filepath.Join("..", "..", "bench", "fleet", "operator", "go.mod"))
	for _, goMod := range goMods {
		dir := filepath.Dir(goMod)
		data, err := os.ReadFile(goMod)
		if err != nil {
			t.Fatal(err)
		}
		checkout, err := filepath.Rel(dir, filepath.Join("..", ".."))
		if err != nil {
			t.Fatal(err)
		}
		release := modules.Release{Checkout: filepath.ToSlash(checkout)}
		mod, err := release.ToolsMod(modfile.ModulePath(data))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := release.ToolsSum()
		if err != nil {
			t.Fatal(err)
		}
		compareOrUpdate(t, filepath.Join(dir, "tools.mod"), mod)
		compareOrUpdate(t, filepath.Join(dir, "tools.sum"), sum)
	}
}

func compareOrUpdate(t *testing.T, path string, expected []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, expected, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if actual, err := os.ReadFile(path); err != nil || !bytes.Equal(actual, expected) {
		t.Errorf("%s is not what opgen requires (error: %v): run make golden", path, err)
	}
}
