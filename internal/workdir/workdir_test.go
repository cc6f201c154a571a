package workdir

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNewIsTheSameEmptyFolderEachTime(t *testing.T) {
	var dirs []string
	for range 2 {
		t.Run("user", func(t *testing.T) {
			dir := New(t, "workdir")
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) > 0 {
				t.Fatalf("got %v, %v, want an empty folder", entries, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "left"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		})
	}
	if dirs[0] != dirs[1] {
		t.Errorf("got %s and then %s", dirs[0], dirs[1])
	}
}

func TestNewIsAnotherFolderWhileOneIsInUse(t *testing.T) {
	first := New(t, "workdir")
	kept := filepath.Join(first, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if second := New(t, "workdir"); second == first {
		t.Errorf("got %s twice", second)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
