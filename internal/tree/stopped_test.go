package tree

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stopAt makes changes in dir as Apply does, up to some write, and ends there as if the process was
// killed. It reports whether writes were left.
func stopAt(t *testing.T, dir string, planned *Changes, last int) (stopped bool) {
	t.Helper()
	writes, err := planned.orderWrites()
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := stageContents(root, writes); err != nil {
		t.Fatal(err)
	}
	for i, change := range writes[:min(last, len(writes))] {
		if err := makeChange(root, i, change); err != nil {
			t.Fatal(err)
		}
	}
	return last < len(writes)
}

// holdAndRelease does what each command does first and last, and reports whether it says that an
// opgen was stopped.
func holdAndRelease(t *testing.T, dir string) bool {
	t.Helper()
	held, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	held.Release()
	return held.Interrupted
}

// other is what a third version of the spec yields: files of both others change, come and go.
var other = []File{
	{Path: "a/zz_generated.stays.go", Content: []byte("another\n")},
	{Path: "b/zz_generated.changes.go", Content: []byte("newer\n")},
	{Path: "c/deep/zz_generated.goes.go", Content: []byte("back\n")},
	{Path: "d/sync.go", Content: []byte("not for you\n"), Owner: Once},
	{Path: "main.go", Content: []byte("not for you\n"), Owner: Once},
}

// treeAfter returns the tree that versions of a project leave when none is stopped.
func treeAfter(t *testing.T, versions ...[]File) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for _, files := range versions {
		apply(t, dir, files)
	}
	return tree(t, dir)
}

// Wherever an Apply was stopped, the next one makes the tree that it was to make, and leaves
// nothing.
func TestStoppedApplyIsCompleted(t *testing.T) {
	want := treeAfter(t, before, after)
	for last := 0; ; last++ {
		dir := t.TempDir()
		apply(t, dir, before)
		stopped := stopAt(t, dir, changes(t, dir, after), last)
		if !holdAndRelease(t, dir) {
			t.Errorf("write %d: Hold does not report it", last)
		}
		apply(t, dir, after)
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("write %d: the tree is another (-want +got):\n%s", last, diff)
		}
		if !stopped {
			return
		}
	}
}

// An Apply was stopped between the removal of a file and that of its folder.
func TestStoppedApplyLeavesNoEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	apply(t, dir, before)
	stopAt(t, dir, changes(t, dir, after), 2)
	if err := os.Remove(filepath.Join(dir, "c/deep/zz_generated.goes.go")); err != nil {
		t.Fatal(err)
	}
	holdAndRelease(t, dir)
	apply(t, dir, after)
	if diff := cmp.Diff(treeAfter(t, before, after), tree(t, dir)); diff != "" {
		t.Errorf("the tree is another (-want +got):\n%s", diff)
	}
}

// Wherever an Apply was stopped, and the next one with another plan, too: there is no conflict. The
// author's file that the first has begun stays.
func TestStoppedApplyIsFollowedByAnother(t *testing.T) {
	for name, plans := range map[string][2][]File{
		"another plan, and on":        {other, after},
		"another plan, and the first": {other, before},
		"the plan from before":        {before, other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := treeAfter(t, before, after, plans[0], plans[1])
			for first := 0; ; first++ {
				var stopped bool
				for second := 0; ; second++ {
					dir := t.TempDir()
					apply(t, dir, before)
					stopped = stopAt(t, dir, changes(t, dir, after), first)
					again := stopAt(t, dir, changes(t, dir, plans[0]), second)
					holdAndRelease(t, dir)
					apply(t, dir, plans[1])
					got := tree(t, dir)
					for _, made := range []string{"d", "d/sync.go"} { // from whichever plan came to it
						got[made] = want[made]
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("writes %d and %d: the tree is another (-want +got):\n%s", first, second, diff)
					}
					if !again {
						break
					}
				}
				if !stopped {
					return
				}
			}
		})
	}
}

// What somebody has edited since an Apply was stopped is a conflict, or stays if it is the author's.
func TestStoppedApplyKeepsEdits(t *testing.T) {
	edited := map[string]string{
		"b/zz_generated.changes.go": "mine", "c/deep/zz_generated.goes.go": "made again", "d/deep/zz_generated.comes.go": "mine, too",
	}
	writes, err := changesFromBefore(t).orderWrites()
	if err != nil {
		t.Fatal(err)
	}
	for last := 2; last < len(writes); last++ { // from where the lock is written
		dir := t.TempDir()
		apply(t, dir, before)
		stopAt(t, dir, changes(t, dir, after), last)
		holdAndRelease(t, dir)
		write(t, filepath.Join(dir, "d/sync.go"), "my own")
		for name, content := range edited {
			write(t, filepath.Join(dir, name), content)
		}
		want := tree(t, dir)
		planned := changes(t, dir, after)
		conflicts := map[string]string{}
		for _, c := range planned.Conflicts() {
			conflicts[c.Path] = string(c.Old)
		}
		if diff := cmp.Diff(edited, conflicts); diff != "" {
			t.Errorf("write %d: other conflicts (-want +got):\n%s", last, diff)
		}
		if err := planned.Apply(dir); !errors.Is(err, ErrConflict) {
			t.Errorf("write %d: %v, want a conflict", last, err)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("write %d: something was written (-before +after):\n%s", last, diff)
		}
		if err := planned.Force().Apply(dir); err != nil {
			t.Fatal(err)
		}
		wanted := treeAfter(t, before, after)
		wanted["d/sync.go"] = strings.Replace(wanted["d/sync.go"], "start here\n", "my own", 1)
		if diff := cmp.Diff(wanted, tree(t, dir)); diff != "" {
			t.Errorf("write %d: forced, the tree is another (-want +got):\n%s", last, diff)
		}
	}
}

func changesFromBefore(t *testing.T) *Changes {
	t.Helper()
	dir := t.TempDir()
	apply(t, dir, before)
	return changes(t, dir, after)
}

// Files from an author's templates have any names: only their checksums make them opgen's.
func TestStoppedApplyOfTemplatedFiles(t *testing.T) {
	const template = "templates/a.md.tmpl"
	from := []File{
		{Path: "docs/a.md", Content: []byte("a"), Template: template}, {Path: "docs/old/b.md", Content: []byte("b"), Template: template},
	}
	to := []File{
		{Path: "docs/a.md", Content: []byte("another a"), Template: template}, {Path: "docs/c.md", Content: []byte("c"), Template: template},
	}
	want := treeAfter(t, from, to)
	for last := 0; ; last++ {
		dir := t.TempDir()
		apply(t, dir, from)
		stopped := stopAt(t, dir, changes(t, dir, to), last)
		for _, c := range changes(t, dir, to).Pending() {
			if c.Template != template && c.Path != LockPath {
				t.Errorf("write %d: %s is from template %q", last, c.Path, c.Template)
			}
		}
		holdAndRelease(t, dir)
		apply(t, dir, to)
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("write %d: the tree is another (-want +got):\n%s", last, diff)
		}
		if !stopped {
			return
		}
	}
}

// A link of the author's stays when the folder that it leads to is left empty.
func TestApplyKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "code"))
	if err := os.Symlink("code", filepath.Join(dir, "b")); err != nil {
		t.Skip(err)
	}
	apply(t, dir, before)
	apply(t, dir, nil)
	got := tree(t, dir)
	left := []string{"b", "code", LockPath, "main.go"}
	for _, name := range left {
		if got[name] == "" {
			t.Errorf("%s is gone", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("left: %v", maps.Keys(got))
	}
}

// An Apply keeps its staging folder out of git.
func TestStagingIsIgnored(t *testing.T) {
	dir := t.TempDir()
	stopAt(t, dir, changes(t, dir, after), 0)
	if content, err := os.ReadFile(filepath.Join(dir, stagingFolder, ".gitignore")); err != nil || string(content) != "*\n" {
		t.Errorf("%q, %v", content, err)
	}
}
