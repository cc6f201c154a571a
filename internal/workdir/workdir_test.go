package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewIsTheSameEmptyFolderEachTime(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // where no other run of this test uses the folder
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

// Somebody who knows the name has put something there: a link to a folder of his, or a folder that
// he may write to.
func TestNewUsesNoFolderOfAStranger(t *testing.T) {
	strangers := t.TempDir()
	for name, plant := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(strangers, path) },
		"folder": func(path string) error { return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			path, err := folderOfUser()
			if err != nil || os.Remove(path) != nil || plant(path) != nil {
				t.Fatal(path, err)
			}
			dir := New(t, "workdir")
			if _, err := os.Stat(dir); err != nil || strings.HasPrefix(dir, path) || strings.HasPrefix(dir, strangers) {
				t.Errorf("got %s, %v", dir, err)
			}
			for _, folder := range []string{path, strangers} {
				if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
					t.Errorf("%s has %v, %v", folder, entries, err)
				}
			}
		})
	}
}
