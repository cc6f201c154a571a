package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

// An upgrade that is stopped while it compiles leaves tools.mod as it was, from which the next one knows what to do again.
func TestStoppedUpgradeIsDoneAgain(t *testing.T) {
	dir := t.TempDir()
	before := map[string]string{"go.mod": "module example.com/op\n\ngo 1.26\n", "tools.mod": "old\n", "Dockerfile": "old\n", "main.go": "package main\n\nfunc main() {}\n"}
	for name, content := range before {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overwrite := func(name, content string) *tree.Changes {
		t.Helper()
		changes, err := tree.Overwrite(os.DirFS(dir), []tree.File{{Path: name, Content: []byte(content)}})
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	u := upgrade{
		dir:     dir,
		module:  project.Raised{Module: project.Module{Dir: dir}, Changes: overwrite("go.mod", before["go.mod"]+"// raised\n")},
		tools:   overwrite("tools.mod", "new\n"),
		changes: overwrite("zz_generated.mk", "new\n"),
		authors: authorChanges{replaced: overwrite("Dockerfile", "new\n")},
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.apply(ctx, streams{err: io.Discard}); err == nil {
		t.Error("a compilation that was stopped has no error")
	}
	after := contents(t, dir)
	for name, want := range map[string]string{"go.mod": "raised", "zz_generated.mk": "new", "Dockerfile": "new", "tools.mod": "old"} {
		if got := after[filepath.Join(dir, name)]; !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q in it", name, got, want)
		}
	}
}
