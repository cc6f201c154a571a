//go:build unix

package image

import "syscall"

// setUmask sets the permissions that new files do not get, until the returned function is called.
func setUmask(mask int) (restore func()) {
	before := syscall.Umask(mask)
	return func() { syscall.Umask(before) }
}
