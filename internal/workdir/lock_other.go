//go:build !unix

package workdir

import "testing"

// lock never gets a lock: each test has a folder of its own.
func lockFile(testing.TB, string) (bool, error) { return false, nil }
