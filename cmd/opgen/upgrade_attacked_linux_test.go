package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// With a full disk, an upgrade says so. Once there is space, another one goes on.
func TestUpgradeOnAFullDisk(t *testing.T) {
	for _, free := range []int64{0, 4, 8, 16} {
		dir := filepath.Join(mountTemp(t, "size=1m"), "op")
		writeUpgraded(t, dir)
		u, err := planUpgrade(dir)
		if err != nil {
			t.Fatal(err)
		}
		filler := filepath.Join(filepath.Dir(dir), "filler")
		fillDisk(t, filler, free<<10)
		if err := u.applyStopped(t); free == 0 && (err == nil || !strings.Contains(err.Error(), "no space left on device")) {
			t.Errorf("%d KiB free: the error is %v", free, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if u, err = planUpgrade(dir); err != nil {
			t.Fatal(err)
		}
		_ = u.applyStopped(t) // it is stopped
		requireWritten(t, dir)
	}
}

// On a file system that cannot be written to, an upgrade says so.
func TestUpgradeOnAReadOnlyFileSystem(t *testing.T) {
	dir := mountTemp(t, "size=1m")
	writeUpgraded(t, dir)
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "size=1m"); err != nil {
		t.Fatal(err)
	}
	expectUnwritten(t, dir, "read-only file system")
}

// In a project of another user, an upgrade says that it may not write there.
func TestUpgradeOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act as another user")
	}
	dir := folderForAll(t)
	writeUpgraded(t, dir)
	runtime.LockOSThread() // the user is one of the thread; the test's goroutine ends with it
	if err := unix.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setfsuid(0); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	}()
	expectUnwritten(t, dir, "permission denied")
}

// expectUnwritten applies an upgrade, which fails with a text and changes nothing.
func expectUnwritten(t *testing.T, dir, text string) {
	t.Helper()
	u, err := planUpgrade(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.applyStopped(t); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want %q in it", err, text)
	}
	if diff := cmp.Diff(upgradedBefore, treeOf(t, dir)); diff != "" {
		t.Errorf("something was written (-before +after):\n%s", diff)
	}
}
