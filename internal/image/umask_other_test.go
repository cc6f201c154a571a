//go:build !unix

package image

// setUmask does nothing: there is no umask.
func setUmask(int) (restore func()) { return func() {} }
