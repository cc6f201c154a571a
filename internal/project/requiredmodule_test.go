package project

import (
	"os"
	"path/filepath"
	"testing"
)

func TestModulesAt(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "config", "crd")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("module example.com/m\n\nrequire (\n\tk8s.io/api v0.36.0\n\tk8s.io/api/more v1.0.0 // indirect\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n\n" +
		"replace k8s.io/api => k8s.io/api v0.35.1\n\nreplace example.com/a v0.9.0 => example.com/a v0.9.1\n\nreplace example.com/b => ../b\n")
	modules, file := ModulesAt(below)
	if file != filepath.Join(dir, "go.mod") {
		t.Errorf("file %s", file)
	}
	for _, c := range []struct{ importPath, module, version string }{
		{"k8s.io/api/batch/v1", "k8s.io/api", "v0.35.1"},
		{"k8s.io/api/more/v1", "k8s.io/api/more", "v1.0.0"},
		{"k8s.io/apimachinery/pkg", "k8s.io/apimachinery/pkg", ""},
		{"example.com/a", "example.com/a", "v1.0.0"},
		{"example.com/b/c", "example.com/b", "v1.0.0"},
	} {
		if module := modules.Of(c.importPath); module != c.module || modules[module] != c.version {
			t.Errorf("%s: %s %s, expected %s %s", c.importPath, module, modules[module], c.module, c.version)
		}
	}
	write("no module file")
	if modules, _ := ModulesAt(below); len(modules) > 0 || modules.Of("k8s.io/api/batch/v1") != "k8s.io/api/batch/v1" {
		t.Errorf("of a broken file: %v", modules)
	}
}
