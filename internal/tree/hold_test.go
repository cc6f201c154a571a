package tree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What only looks like the staging folder stays.
func TestHoldRemovesNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, stagingFolder+"-notes/todo.txt"), "mine")
	want := tree(t, dir)
	write(t, filepath.Join(dir, stagingFolder+"/1"), "an opgen was killed before it began")
	if !holdAndRelease(t, dir) {
		t.Error("Hold does not report it")
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if holdAndRelease(t, dir) {
		t.Error("Hold reports it again")
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
