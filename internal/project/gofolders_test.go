package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeBefore writes a file that was there long before the run.
func writeBefore(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, before, before); err != nil {
		t.Fatal(err)
	}
}

// Packages outside of the project that a replace directive or a workspace names are watched with
// the files of their module; those of the module cache are not, wherever they are.
func TestWatchGoOutside(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GOMODCACHE", filepath.Join(root, "cache"))
	kinds, cached := filepath.Join(root, "other@v2", "kinds"), filepath.Join(root, "cache", "example.com", "cached@v1.0.0")
	for file, text := range map[string]string{
		"op/go.mod":                              "module example.com/op\n",
		"other@v2/go.mod":                        "module example.com/other\n",
		"other@v2/kinds/kinds.go":                "package kinds\n",
		"cache/example.com/cached@v1.0.0/go.mod": "module example.com/cached\n",
		"cache/example.com/cached@v1.0.0/a.go":   "package cached\n",
	} {
		writeBefore(t, filepath.Join(root, file), text)
	}
	folders := map[string]bool{kinds: true, cached: true}
	for _, changed := range []string{"kinds/kinds.go", "kinds/more.go", "go.mod", "go.sum"} {
		outside, unchanged := NoRecord(filepath.Join(root, "op")).watchGo(folders)
		if !unchanged || len(outside) != 1 || outside[0].Dir != filepath.Join(root, "other@v2") || !outside[0].isSame() {
			t.Fatalf("watched are %v, %v", outside, unchanged)
		}
		writeBefore(t, filepath.Join(root, "other@v2", changed), "package kinds // changed\n")
		if outside[0].isSame() {
			t.Errorf("it is the same after a change of %s", changed)
		}
	}
}

// A folder of the project is watched whatever it is called. Source that changed while it was read
// may not be what was read.
func TestWatchGoInside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "op@v1")
	file := filepath.Join(dir, "api", "v1", "types.go")
	writeBefore(t, file, "package v1\n")
	folders := map[string]bool{filepath.Dir(file): true}
	r := NoRecord(dir)
	if outside, unchanged := r.watchGo(folders); !unchanged || len(outside) > 0 {
		t.Errorf("watched are %v, %v", outside, unchanged)
	}
	if answers, _ := r.tree.Seen(); len(answers) != 5 { // three files of the module, the folder, the file in it
		t.Errorf("noted are %v", answers)
	}
	if err := os.WriteFile(file, []byte("package v1 // changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, unchanged := NoRecord(dir).watchGo(folders); unchanged {
		t.Error("source that has just changed is taken for what was read")
	}
}
