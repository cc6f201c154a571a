package tree

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files of two releases of a package: the second changes one, adds one and drops one.
var (
	firstRelease = []File{
		{Path: "dist/chart/Chart.yaml", Content: []byte("version: 1\n")},
		{Path: "dist/chart/templates/dropped.yaml", Content: []byte("a: b\n")},
	}
	secondRelease = []File{
		{Path: "dist/chart/Chart.yaml", Content: []byte("version: 2\n")},
		{Path: "dist/chart/templates/added.yaml", Content: []byte("c: d\n")},
	}
)

// packageChanges returns what packaging changes in dir.
func packageChanges(t *testing.T, dir string, files []File) *Changes {
	t.Helper()
	changes, err := DiffPackage(os.DirFS(dir), "helm", LockedPackage{Version: "1.0.0"}, files)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// applyPackage packages in dir, where nothing may be in conflict.
func applyPackage(t *testing.T, dir string, files []File) {
	t.Helper()
	if err := packageChanges(t, dir, files).Apply(dir); err != nil {
		t.Fatal(err)
	}
}

// Wherever opgen generate was stopped, opgen package in between takes nothing from the next one.
func TestStoppedApplyIsFollowedByAPackage(t *testing.T) {
	want := t.TempDir()
	apply(t, want, before)
	apply(t, want, after)
	applyPackage(t, want, secondRelease)
	for last := 0; ; last++ {
		dir := t.TempDir()
		apply(t, dir, before)
		applyPackage(t, dir, firstRelease)
		stopped := stopAt(t, dir, changes(t, dir, after), last)
		holdAndRelease(t, dir)
		applyPackage(t, dir, secondRelease)
		apply(t, dir, after)
		if diff := cmp.Diff(tree(t, want), tree(t, dir)); diff != "" {
			t.Errorf("write %d: the tree is another (-want +got):\n%s", last, diff)
		}
		if !stopped {
			return
		}
	}
}

// Wherever opgen package was stopped, opgen generate in between takes nothing from the next one, and
// removes no file of the package.
func TestStoppedPackageIsFollowedByGenerate(t *testing.T) {
	want := t.TempDir()
	apply(t, want, before)
	apply(t, want, after)
	applyPackage(t, want, secondRelease)
	for last := 0; ; last++ {
		dir := t.TempDir()
		apply(t, dir, before)
		applyPackage(t, dir, firstRelease)
		stopped := stopAt(t, dir, packageChanges(t, dir, secondRelease), last)
		holdAndRelease(t, dir)
		apply(t, dir, after)
		if _, err := os.Stat(dir + "/dist/chart/Chart.yaml"); err != nil {
			t.Errorf("write %d: generate has removed a file of the package", last)
		}
		applyPackage(t, dir, secondRelease)
		if diff := cmp.Diff(tree(t, want), tree(t, dir)); diff != "" {
			t.Errorf("write %d: the tree is another (-want +got):\n%s", last, diff)
		}
		if !stopped {
			return
		}
	}
}
