package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

// upgradedBefore are the files of a project that planUpgrade upgrades.
var upgradedBefore = map[string]string{"go.mod": "module example.com/op\n\ngo 1.26\n", "tools.mod": "old\n", "zz_generated.mk": "old\n", "Dockerfile": "old\n", "main.go": "package main\n\nfunc main() {}\n"}

// writeUpgraded writes the files of a project that is to be upgraded.
func writeUpgraded(t *testing.T, dir string) {
	t.Helper()
	for name, content := range upgradedBefore {
		writeText(t, filepath.Join(dir, name), content)
	}
}

// planUpgrade returns the upgrade of the project in a folder.
func planUpgrade(dir string) (*upgrade, error) {
	var all []error
	overwrite := func(name, content string) *tree.Changes {
		changes, err := tree.Overwrite(os.DirFS(dir), []tree.File{{Path: name, Content: []byte(content)}})
		all = append(all, err)
		return changes
	}
	made := &upgrade{
		dir:     dir,
		module:  project.Raised{Module: project.Module{Dir: dir}, Changes: overwrite("go.mod", upgradedBefore["go.mod"]+"// raised\n")},
		tools:   overwrite("tools.mod", "new\n"),
		changes: overwrite("zz_generated.mk", "new\n"),
		authors: authorChanges{replaced: overwrite("Dockerfile", "new\n")},
	}
	return made, errors.Join(all...)
}

// applyStopped applies an upgrade, and stops it when it begins to compile.
func (u *upgrade) applyStopped(t *testing.T) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return u.apply(ctx, streams{err: io.Discard})
}

// requireWritten requires that an upgrade has written what comes before the compilation, and not tools.mod.
func requireWritten(t *testing.T, dir string) {
	t.Helper()
	after := treeOf(t, dir)
	for name, want := range map[string]string{"go.mod": "raised", "zz_generated.mk": "new", "Dockerfile": "new", "tools.mod": "old"} {
		if !strings.Contains(after[name], want) {
			t.Errorf("%s is %q, want %q in it", name, after[name], want)
		}
	}
	if _, exists := after[".opgen-apply"]; exists {
		t.Error(".opgen-apply is left")
	}
}

// An upgrade that is stopped while it compiles leaves tools.mod as it was, from which the next one knows what to do again.
func TestStoppedUpgradeIsDoneAgain(t *testing.T) {
	dir := t.TempDir()
	writeUpgraded(t, dir)
	u, err := planUpgrade(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.applyStopped(t); err == nil {
		t.Error("a compilation that was stopped has no error")
	}
	requireWritten(t, dir)
}

// No upgrade follows a link in the place of a file that it writes.
func TestUpgradeStaysInTheProject(t *testing.T) {
	for name := range upgradedBefore {
		if name == "main.go" { // which it does not write
			continue
		}
		for _, linkedBefore := range []bool{true, false} {
			t.Run(fmt.Sprint(name, linkedBefore), func(t *testing.T) {
				dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "thesis.txt")
				writeUpgraded(t, dir)
				writeText(t, outside, "mine")
				link := func() {
					if err := errors.Join(os.Remove(filepath.Join(dir, name)), os.Symlink(outside, filepath.Join(dir, name))); err != nil {
						t.Skip(err)
					}
				}
				if linkedBefore {
					link()
				}
				u, err := planUpgrade(dir)
				if err == nil {
					link()
					err = u.applyStopped(t)
				}
				if name != "tools.mod" && (err == nil || !strings.Contains(err.Error(), name)) {
					t.Errorf("the error is %v", err)
				}
				if content, err := os.ReadFile(outside); err != nil || string(content) != "mine" {
					t.Errorf("what lies outside is %q, %v", content, err)
				}
			})
		}
	}
}
