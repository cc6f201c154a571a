package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// nobody is a user that is not root, and has no files.
const nobody = 65534

// With a full disk, a command says so. Once there is space, the same command makes the tree.
func TestCommandsOnAFullDisk(t *testing.T) {
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		for _, free := range longtest.Cases(t, []int{0, 4, 8, 16, 32, 64, 128}, 2, "each is a file system") {
			dir := filepath.Join(mountTemp(t, "size=64m"), "copy")
			copyTree(t, c.base, dir)
			filler := filepath.Join(filepath.Dir(dir), "filler")
			fillDisk(t, filler, int64(free)<<10)
			code, said := c.run(t, dir)
			if code == exitDone { // it needs less
				if diff := cmp.Diff(c.want, treeOf(t, dir)); diff != "" {
					t.Errorf("%d KiB free: the tree is another (-want +got):\n%s", free, diff)
				}
			} else if !strings.Contains(said, "no space left on device") {
				t.Errorf("%d KiB free: exit code %d\n%s", free, code, said)
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			c.complete(t, dir)
		}
	})
}

// On a file system that cannot be written to, a command says so.
func TestCommandsOnAReadOnlyFileSystem(t *testing.T) {
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		mounted := mountTemp(t, "size=64m")
		dir := filepath.Join(mounted, "copy")
		copyTree(t, c.base, dir)
		if err := unix.Mount("", mounted, "", unix.MS_REMOUNT|unix.MS_RDONLY, "size=64m"); err != nil {
			t.Fatal(err)
		}
		before := treeOf(t, dir)
		code, said := c.run(t, dir)
		c.expectFailure(t, before, dir, code, said, "read-only file system")
	})
}

// In a project of another user, a command says that it may not write there. root may, and does what it does elsewhere.
func TestCommandsOfTwoUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run a command as another user")
	}
	goSettings := goEnvironment(t, "GOMODCACHE")
	binary := copyBinaryForAll(t)
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		dir := folderForAll(t)
		copyTree(t, c.base, filepath.Join(dir, "copy"))
		dir = filepath.Join(dir, "copy")
		before := treeOf(t, dir)
		cmd := c.command(t, dir)
		cmd.Path = binary
		cmd.Env = append(cmd.Env, append(goSettings, "HOME=/nonexistent", "GOCACHE="+folderOf(t, nobody))...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		code, said := exitOf(t, cmd)
		c.expectFailure(t, before, dir, code, said, "permission denied")

		if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		}); err != nil {
			t.Fatal(err)
		}
		c.complete(t, dir)
	})
}

// mountTemp mounts a file system in memory until the end of the test.
func mountTemp(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skip("cannot mount a file system here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk fills a file system up to some bytes.
func fillDisk(t *testing.T, name string, free int64) {
	t.Helper()
	var disk unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(name), &disk); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, max(1, int64(disk.Bavail)*disk.Bsize-free)); err != nil {
		t.Skip("cannot fill this file system:", err)
	}
}

// folderForAll returns a folder that every user may read.
func folderForAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// folderOf returns a folder of a user.
func folderOf(t *testing.T, user int) string {
	t.Helper()
	dir := folderForAll(t)
	if err := os.Chown(dir, user, user); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyBinaryForAll copies this program to where every user may run it.
func copyBinaryForAll(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(folderForAll(t), "opgen")
	if err := os.WriteFile(copied, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return copied
}
