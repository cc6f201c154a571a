//go:build !unix || solaris || illumos || aix

package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockDir waits for the lock of a folder, which is on a file outside of it: not every system locks
// folders.
func lockDir(dir string) (unlock func(), err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(path))
	release, err := lockedfile.MutexAt(filepath.Join(os.TempDir(), "opgen-"+hex.EncodeToString(sum[:8])+".lock")).Lock()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		release()
		return nil, nil
	}
	return release, nil
}
