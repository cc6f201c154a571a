package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/spec"
)

// endless is input without an end; it counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	e.read += len(p)
	return len(p), nil
}

// TestInputWithoutEnd gives endless standard input to every command that reads it: they stop behind
// the limit.
func TestInputWithoutEnd(t *testing.T) {
	inProject(t)
	for _, args := range []string{"crd -", "import -", "create api -f -", "create controller a -f -"} {
		t.Run(args, func(t *testing.T) {
			in := &endless{}
			code, out := runIn(in, args)
			if code != exitInvalid || !strings.Contains(out, "is too large: the limit is 16 MiB") {
				t.Errorf("exit code %d: %s", code, out)
			}
			if limit := spec.MaxFileSize + 1<<20; in.read > limit {
				t.Errorf("read %d bytes, more than %d", in.read, limit)
			}
		})
	}
}

// TestLargeFiles gives a file of 100 MB to every command that reads spec files. What they allocate
// in all is bounded, hence the time that they take.
func TestLargeFiles(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.yaml")
	sparse(t, large)
	inProject(t)
	check := func(t *testing.T, args, message string) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, out := runIn(strings.NewReader(""), args)
		runtime.ReadMemStats(&after)
		if code != exitInvalid || !strings.Contains(out, message) {
			t.Errorf("exit code %d: %s", code, out)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 256<<20 {
			t.Errorf("allocated %d MiB", got>>20)
		}
	}
	for _, args := range []string{"crd ", "import ", "create api -f "} {
		t.Run(args, func(t *testing.T) { check(t, args+large, "large.yaml: is too large") })
	}
	sparse(t, "api/large.yaml")
	for _, args := range []string{"generate", "diff", "check", "delete api --kind Large"} {
		t.Run(args, func(t *testing.T) { check(t, args, "api/large.yaml: is too large") })
	}
}

// inProject makes a project without APIs and works in it until the test ends.
func inProject(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	project := "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: op\nmodule: example.com/op\n"
	if err := os.WriteFile("opgen.yaml", []byte(project), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("api", 0o755); err != nil {
		t.Fatal(err)
	}
}

// sparse makes a file of 100 MB that takes no space.
func sparse(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("apiVersion: opgen.dev/v1alpha1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100_000_000); err != nil {
		t.Fatal(err)
	}
}

func runIn(in io.Reader, args string) (code int, out string) {
	var all bytes.Buffer
	code = run(strings.Fields(args), streams{in: in, out: &all, err: &all})
	return code, all.String()
}
