//go:build unix && !solaris && !illumos && !aix

package tree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockDir waits for the lock of a folder, which ends with the process that has it. It returns no
// function to unlock when the folder is no longer there. File systems that lock no folders have no
// lock.
func lockDir(dir string) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(folder.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	for _, unsupported := range []error{unix.ENOTSUP, unix.EBADF, unix.ENOLCK, unix.EINVAL, unix.ENOSYS} {
		if errors.Is(err, unsupported) {
			return func() { folder.Close() }, nil
		}
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	ours, err := folder.Stat()
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	if current, err := os.Stat(dir); err != nil || !os.SameFile(ours, current) {
		return nil, folder.Close() // nil, but for an error
	}
	return func() { folder.Close() }, nil
}
