//go:build !unix

package workdir

import (
	"io/fs"
	"testing"
)

// lockFile never gets a lock, so that each test gets a new folder.
func lockFile(testing.TB, string) (bool, error) { return false, nil }

// isPrivate reports whether info is of a folder. Systems without Unix users have a separate
// temporary folder for each user.
func isPrivate(info fs.FileInfo) bool { return info.IsDir() }
