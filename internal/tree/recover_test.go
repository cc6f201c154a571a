package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stopAt makes changes in dir as Apply does, up to some rename, and ends there as if the process
// was killed.
func stopAt(t *testing.T, dir string, pending []Change, last int) (stopped bool) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	renames := 0
	tx, err := beginTransaction(root, func(root *os.Root, from, to string) error {
		if renames++; renames > last {
			return os.ErrClosed
		}
		return root.Rename(from, to)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.stageChanges(pending); err != nil {
		t.Fatal(err)
	}
	for _, step := range tx.journal.Steps {
		if tx.commitStep(step) != nil {
			return true
		}
	}
	return false
}

// Wherever an Apply was stopped, the next Hold puts everything back, and leaves nothing.
func TestHoldUndoesWhatWasStopped(t *testing.T) {
	for last := 0; ; last++ {
		dir := t.TempDir()
		apply(t, dir, before)
		want := tree(t, dir)
		stopped := stopAt(t, dir, changes(t, dir, after).Pending(), last)
		held, err := Hold(dir)
		if err != nil {
			t.Fatal(err)
		}
		held.Release()
		if !held.Undone {
			t.Errorf("rename %d: nothing to undo", last)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("rename %d: the tree is another (-before +after):\n%s", last, diff)
		}
		if !stopped {
			return
		}
	}
}

// What somebody has written since an Apply was stopped stays.
func TestHoldKeepsWhatCameSince(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, before)
	stopAt(t, dir, changes(t, dir, after).Pending(), 100)
	write(t, filepath.Join(dir, "d/sync.go"), "mine")
	write(t, filepath.Join(dir, "b/zz_generated.changes.go"), "mine, too")
	write(t, filepath.Join(dir, "c/deep/zz_generated.goes.go"), "made again")
	held, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	held.Release()
	got := tree(t, dir)
	for name, want := range map[string]string{
		"d/sync.go": "mine", "b/zz_generated.changes.go": "mine, too", "c/deep/zz_generated.goes.go": "made again",
	} {
		if !strings.HasSuffix(got[name], " "+want) {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, ".opgen") || strings.HasPrefix(name, "d/deep") {
			t.Errorf("left: %s", name)
		}
	}
}

// A folder that only looks like one of Apply stays, and so does what Apply left that is not its
// own.
func TestHoldRemovesNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, stagingPrefix+"notes/todo.txt"), "mine")
	write(t, filepath.Join(dir, stagingPrefix+"1/new1"), "an opgen was killed before it began")
	held, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	folder, file := newModes(t)
	want := map[string]string{stagingPrefix + "notes": folder, stagingPrefix + "notes/todo.txt": file + " mine"}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" || held.Undone {
		t.Errorf("undone: %v; (-want +got):\n%s", held.Undone, diff)
	}
}

func TestHoldMakesTheFolderAndTakesItAwayEmpty(t *testing.T) {
	parent := t.TempDir()
	for _, file := range []string{"", "kept.txt"} {
		dir := filepath.Join(parent, "new", "project")
		held, err := Hold(dir)
		if err != nil {
			t.Fatal(err)
		}
		if file != "" {
			write(t, filepath.Join(dir, file), "x")
		}
		held.Release()
		if _, err := os.Stat(dir); (err == nil) != (file != "") {
			t.Errorf("with %q in it: %v", file, err)
		}
	}
}

// An Apply keeps its staging folder out of git.
func TestStagingIsIgnored(t *testing.T) {
	dir := t.TempDir()
	stopAt(t, dir, changes(t, dir, after).Pending(), 0)
	ignores, err := filepath.Glob(filepath.Join(dir, stagingPrefix+"*", ".gitignore"))
	if err != nil || len(ignores) != 1 {
		t.Fatalf("%v, %v", ignores, err)
	}
	if content, err := os.ReadFile(ignores[0]); err != nil || string(content) != "*\n" {
		t.Errorf("%q, %v", content, err)
	}
}
