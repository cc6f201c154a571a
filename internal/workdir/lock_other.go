//go:build !unix

package workdir

import (
	"io/fs"
	"testing"
)

// lock never gets a lock: each test has a folder of its own.
func lockFile(testing.TB, string) (bool, error) { return false, nil }

// isPrivate reports whether info is of a folder. Systems without users in this sense have a
// temporary folder for each.
func isPrivate(info fs.FileInfo) bool { return info.IsDir() }
