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
	"os"
	"path/filepath"
	"testing"
)

// New returns an empty folder of this name in the system's folder for temporary
// files, below one for this checkout. It stays when the test ends, for a look at
// it, and is emptied by the next call. While another process uses it, the folder
// is one of the test's own.
func New(t testing.TB, name string) string {
	t.Helper()
	root, err := rootOfModule()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte(root))
	dir := filepath.Join(os.TempDir(), "opgen-test-"+hex.EncodeToString(hash[:4]), name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
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
