// Package workdir gives tests folders that keep their paths from run to run.
//
// A test that builds a generated project in a folder of a new name each time
// compiles, links and vets everything in it each time, since the path is part of
// what Go's build cache looks up. In a folder of the same path nothing is done
// twice that has not changed.
package workdir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// New returns an empty folder of this name in the system's folder for temporary
// files, below one for this user and this checkout. It stays when the test ends,
// for a look at it, and is emptied by the next call. While another process uses
// it, or if somebody else has made the folder above it, the folder is one of the
// test's own.
func New(t testing.TB, name string) string {
	t.Helper()
	above, err := folderOfUser()
	if err != nil {
		t.Fatal(err)
	}
	if above == "" {
		return t.TempDir()
	}
	dir := filepath.Join(above, name)
	locked, err := lockFile(t, dir+".lock")
	if err != nil {
		t.Fatal(err)
	}
	if !locked {
		return t.TempDir()
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// folderOfUser makes the folder of this user and this checkout. Its name can be
// guessed, and everybody may write beside it: it is empty if something is there
// that others may have made or may change, such as a link.
func folderOfUser() (string, error) {
	root, err := rootOfModule()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(root))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("opgen-test-%d-%s", os.Getuid(), hex.EncodeToString(hash[:4])))
	if err := os.Mkdir(dir, 0o700); err == nil || !os.IsExist(err) {
		return dir, err
	}
	info, err := os.Lstat(dir)
	if err != nil || !isPrivate(info) {
		return "", err
	}
	return dir, nil
}

// rootOfModule is the folder of the go.mod that the test belongs to.
func rootOfModule() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for parent := ""; dir != parent; parent, dir = dir, filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", os.ErrNotExist
}
