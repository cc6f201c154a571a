package tree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// before is a project tree with its lock; after is what the next version of its spec yields: one
// file of each action, in folders that come and go.
var (
	before = []File{
		{Path: "a/zz_generated.stays.go", Content: []byte("same\n")},
		{Path: "b/zz_generated.changes.go", Content: []byte("old\n")},
		{Path: "c/deep/zz_generated.goes.go", Content: []byte("gone\n")},
		{Path: "main.go", Content: []byte("yours\n"), Owner: Once},
	}
	after = []File{
		{Path: "a/zz_generated.stays.go", Content: []byte("same\n")},
		{Path: "b/zz_generated.changes.go", Content: []byte("new\n")},
		{Path: "d/deep/zz_generated.comes.go", Content: []byte("made\n")},
		{Path: "d/sync.go", Content: []byte("start here\n"), Owner: Once},
		{Path: "main.go", Content: []byte("not for you\n"), Owner: Once},
	}
)

func TestApplyMakesTheTreeWhatWasPlanned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "project")
	apply(t, dir, before)
	if err := os.Chmod(filepath.Join(dir, "b/zz_generated.changes.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	apply(t, dir, after)

	got := tree(t, dir)
	delete(got, LockPath)
	folder, file := newModes(t)
	want := map[string]string{
		"a":                            folder,
		"a/zz_generated.stays.go":      file + " same\n",
		"b":                            folder,
		"b/zz_generated.changes.go":    "-rw------- new\n", // its mode is kept
		"d":                            folder,
		"d/deep":                       folder,
		"d/deep/zz_generated.comes.go": file + " made\n",
		"d/sync.go":                    file + " start here\n",
		"main.go":                      file + " yours\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the tree is not what was planned (-want +got):\n%s", diff)
	}
	if pending := changes(t, dir, after).Pending(); len(pending) > 0 {
		t.Errorf("a second generate would change %v", pending)
	}
}

// When a change fails, those before it stay, and the error names the file. The same changes can be
// made again later.
func TestApplyNamesTheFileThatFails(t *testing.T) {
	tests := map[string]struct {
		obstruct, clear func(t *testing.T, dir string)
		file            string
	}{
		"a link that leads nowhere in place of a folder": {
			func(t *testing.T, dir string) {
				if err := os.Symlink("nowhere", filepath.Join(dir, "d")); err != nil {
					t.Skip(err)
				}
			},
			func(t *testing.T, dir string) {
				if err := os.Remove(filepath.Join(dir, "d")); err != nil {
					t.Fatal(err)
				}
			},
			"d/sync.go",
		},
		"a folder that is read-only": {
			func(t *testing.T, dir string) {
				if os.Getuid() == 0 {
					t.Skip("root may write to it")
				}
				chmod(t, filepath.Join(dir, "c/deep"), 0o555)
			},
			func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, "c/deep"), 0o755) },
			"c/deep/zz_generated.goes.go",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, done := t.TempDir(), t.TempDir()
			apply(t, dir, before)
			apply(t, done, before)
			apply(t, done, after)
			test.obstruct(t, dir)
			err := changes(t, dir, after).Apply(dir)
			if err == nil || !strings.HasPrefix(err.Error(), test.file+": ") || !strings.Contains(err.Error(), "run the same command again") {
				t.Errorf("error %v, want one about %s", err, test.file)
			}
			test.clear(t, dir)
			apply(t, dir, after)
			if diff := cmp.Diff(tree(t, done), tree(t, dir)); diff != "" {
				t.Errorf("the tree is another (-want +got):\n%s", diff)
			}
		})
	}
}

// Staging changes no file, so a full disk is found before any has changed.
func TestStagingChangesNoFile(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, before)
	want := tree(t, dir)
	stopAt(t, dir, changes(t, dir, after), 0)
	staged := tree(t, dir)
	for name := range staged {
		if strings.HasPrefix(name, stagingFolder) {
			delete(staged, name)
		}
	}
	if diff := cmp.Diff(want, staged); diff != "" {
		t.Errorf("a file has changed (-before +after):\n%s", diff)
	}
}

func TestApplyRefusesATreeThatItCannotWrite(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"a file where a folder has to be": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "d"), "in the way")
		},
		"a folder where a file has to be": func(t *testing.T, dir string) {
			mkdir(t, filepath.Join(dir, "d/deep/zz_generated.comes.go/x"))
		},
		"a file that came after the comparison": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "d/sync.go"), "mine")
		},
		"a file that changed after the comparison": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "b/zz_generated.changes.go"), "edited just now")
		},
		"a folder that is a link out of the tree": func(t *testing.T, dir string) {
			if err := os.Symlink(t.TempDir(), filepath.Join(dir, "d")); err != nil {
				t.Skip(err)
			}
		},
	}
	for name, obstruct := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			apply(t, dir, before)
			planned := changes(t, dir, after)
			obstruct(t, dir)
			want := tree(t, dir)
			if err := planned.Apply(dir); err == nil {
				t.Error("no error")
			}
			if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
				t.Errorf("something was written (-before +after):\n%s", diff)
			}
		})
	}
}

func TestApplyWritesNothingOutside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "new", "project")
	held, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	planned := &Changes{list: []Change{{Path: "a/../../escape", Action: Create, New: []byte("x")}}}
	if err := planned.Apply(dir); err == nil {
		t.Error("a path out of the tree is written")
	}
	held.Release()
	if got := tree(t, parent); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestOrderOfWrites(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, before)
	write(t, filepath.Join(dir, "api/a.yaml"), "kind: API")
	files := append([]File{{Path: "opgen.yaml", Owner: Once}, {Path: "templates/a.tmpl", Owner: Once}}, after...)
	set, err := NewFileSet(Lock{Version: "v1.0.0"}, files, []string{"api/a.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	planned, err := diffWith(set, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	writes, err := planned.orderWrites()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, change := range writes {
		got = append(got, string(change.Action)+" "+change.Path)
	}
	want := []string{
		"create d/sync.go", "create templates/a.tmpl", "update opgen.lock",
		"update b/zz_generated.changes.go", "remove c/deep/zz_generated.goes.go", "create d/deep/zz_generated.comes.go",
		"update opgen.lock", "create opgen.yaml", "remove api/a.yaml", // without the spec file, the command that drops it cannot run again
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// apply plans, compares and applies files.
func apply(t *testing.T, dir string, files []File) {
	t.Helper()
	if err := changes(t, dir, files).Apply(dir); err != nil {
		t.Fatal(err)
	}
}

func changes(t *testing.T, dir string, files []File) *Changes {
	t.Helper()
	set, err := NewFileSet(Lock{Version: "v1.0.0"}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := diffWith(set, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// tree returns mode and content of everything in a folder by its path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			all[name] += fmt.Sprintf(" %s", content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// newModes returns the modes of folders and files that are made here: those of a umask of 077 are
// not the usual ones.
func newModes(t *testing.T) (folder, file string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "folder", "file"), "")
	made := tree(t, dir)
	return made["folder"], strings.TrimSpace(made["folder/file"])
}

func write(t *testing.T, path, content string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
