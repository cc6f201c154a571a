package cache

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Executables of every system have the build ID that the go command shows.
func TestBuildID(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		program := filepath.Join(dir, system)
		build := exec.Command("go", "build", "-o", program, source)
		build.Env = append(os.Environ(), "GOOS="+system, "GOFLAGS=", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want, err := exec.Command("go", "tool", "buildid", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := buildIDOf(program); got == "" || got != strings.TrimSpace(string(want)) {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
	if id := buildIDOf(source); id != "" {
		t.Errorf("Go source has the build ID %q", id)
	}
	if buildID() == "" {
		t.Error("the test has no build ID")
	}
}
