package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// questions are what a program can ask of a tree, each with changes that give another answer.
var questions = map[string]struct {
	ask     func(tree fs.FS)
	changes map[string]func(dir string) error
}{
	"a file": {
		func(tree fs.FS) { _, _ = fs.ReadFile(tree, "folder/file") },
		map[string]func(string) error{
			"another content": func(dir string) error { return os.WriteFile(filepath.Join(dir, "folder/file"), []byte("two"), 0o644) },
			"it goes":         func(dir string) error { return os.Remove(filepath.Join(dir, "folder/file")) },
		},
	},
	"a file that is not there": {
		func(tree fs.FS) { _, _ = fs.ReadFile(tree, "folder/more") },
		map[string]func(string) error{
			"it comes": func(dir string) error { return os.WriteFile(filepath.Join(dir, "folder/more"), nil, 0o644) },
		},
	},
	"a folder": {
		func(tree fs.FS) { _, _ = fs.ReadDir(tree, "folder") },
		map[string]func(string) error{
			"a file more": func(dir string) error { return os.WriteFile(filepath.Join(dir, "folder/more"), nil, 0o644) },
			"a file less": func(dir string) error { return os.Remove(filepath.Join(dir, "folder/file")) },
			"another sort": func(dir string) error {
				if err := os.Remove(filepath.Join(dir, "folder/file")); err != nil {
					return err
				}
				return os.Mkdir(filepath.Join(dir, "folder/file"), 0o755)
			},
		},
	},
	"what is there": {
		func(tree fs.FS) { _, _ = fs.Stat(tree, "link") },
		map[string]func(string) error{
			"it goes": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "folder")) },
		},
	},
	"what is there itself": {
		func(tree fs.FS) { _, _ = fs.Lstat(tree, "link") },
		map[string]func(string) error{"it goes": func(dir string) error { return os.Remove(filepath.Join(dir, "link")) }},
	},
	"a link": {
		func(tree fs.FS) { _, _ = fs.ReadLink(tree, "link") },
		map[string]func(string) error{
			"elsewhere": func(dir string) error {
				if err := os.Remove(filepath.Join(dir, "link")); err != nil {
					return err
				}
				return os.Symlink("folder/file", filepath.Join(dir, "link"))
			},
		},
	},
}

// newFolder makes a folder with a file in it, and a link to it.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "folder/file"), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSame(t *testing.T) {
	for name, q := range questions {
		for what, change := range q.changes {
			t.Run(name+"/"+what, func(t *testing.T) {
				dir := newFolder(t)
				tree := Watch(os.DirFS(dir))
				q.ask(tree)
				answers, all := tree.Seen()
				if !all || len(answers) != 1 {
					t.Fatalf("noted are %v, %v", answers, all)
				}
				if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
				if !Same(os.DirFS(dir), answers) {
					t.Error("it is another after a change elsewhere")
				}
				if err := change(dir); err != nil {
					t.Fatal(err)
				}
				if Same(os.DirFS(dir), answers) {
					t.Error("it is the same after the change")
				}
			})
		}
	}
}

// What is read by other ways is not noted, so that nobody may rely on the answers.
func TestUnnoted(t *testing.T) {
	dir := newFolder(t)
	tree := Watch(os.DirFS(dir))
	file, err := tree.Open("folder/file")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if _, all := tree.Seen(); all {
		t.Error("an open file is taken for noted")
	}
}

// A tree that changes while it is read has two answers to one question.
func TestChangesMeanwhile(t *testing.T) {
	for name, ask := range map[string]func(fs.FS){
		"a folder": func(tree fs.FS) { _, _ = fs.ReadDir(tree, "folder") },
		"a file":   func(tree fs.FS) { _, _ = fs.ReadFile(tree, "folder/more") },
	} {
		dir := newFolder(t)
		tree := Watch(os.DirFS(dir))
		ask(tree)
		if err := os.WriteFile(filepath.Join(dir, "folder/more"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		ask(tree)
		if _, all := tree.Seen(); all {
			t.Errorf("%s: both answers are taken for one", name)
		}
	}
	dir := newFolder(t)
	tree := Watch(os.DirFS(dir))
	if err := os.WriteFile(filepath.Join(dir, "folder/file"), []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	first, _ := fs.ReadFile(tree, "folder/file")
	if err := os.WriteFile(filepath.Join(dir, "folder/file"), []byte("three"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, _ := fs.ReadFile(tree, "folder/file"); string(again) != string(first) {
		t.Errorf("a file is %q, and then %q", first, again)
	}
	if answers, all := tree.Seen(); !all || Same(os.DirFS(dir), answers) {
		t.Error("what was read first is taken for what is there")
	}
}

func TestTreeOfSeveralReaders(t *testing.T) {
	dir := newFolder(t)
	tree := Watch(os.DirFS(dir))
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for _, q := range questions {
				q.ask(tree)
			}
		})
	}
	readers.Wait()
	if answers, all := tree.Seen(); !all || len(answers) != len(questions) || !Same(os.DirFS(dir), answers) {
		t.Errorf("noted are %v, %v", answers, all)
	}
}
