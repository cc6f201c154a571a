//go:build unix

package workdir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// lockFile tries to lock a file for a test, and reports whether it did. The lock ends with the
// test.
func lockFile(t testing.TB, path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	t.Cleanup(func() { file.Close() })
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// isPrivate reports whether info is of a folder that belongs to this user and that no other user
// can write to.
func isPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm()&0o077 == 0 && int(stat.Uid) == os.Getuid()
}
