// Package workdir provides folders for tests, with the same path in each run.
//
// Go's build cache looks results up by path. A test that builds a generated project in t.TempDir()
// therefore compiles, links and vets everything each time. In a folder with a constant path, only
// what has changed is built again.
package workdir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// New returns an empty folder with a name, in a temporary folder for this user and this checkout.
// It stays after the test, so that one can look at it, and the next call empties it. The folder is
// another, temporary one while another process uses this one, or if another user has created the
// folder above.
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

// folderOfUser creates the folder of this user and this checkout. It returns "" if others may have
// created or may change what is there, such as a symbolic link: every user can guess the name and
// write to the system's temporary folder.
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

// rootOfModule returns the folder of the go.mod that the test belongs to.
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
