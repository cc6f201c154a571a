//go:build linux || darwin

package cluster

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock is a lock between processes. The kernel releases it when the process ends, however it ends.
type lock struct{ file *os.File }

// acquireLock locks a file, which it creates. It calls waiting once if another process has the
// lock.
func acquireLock(ctx context.Context, path string, waiting func()) (*lock, error) {
	for waited := false; ; waited = true {
		l, err := tryLock(path)
		if err != nil || l != nil {
			return l, err
		}
		if !waited {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tryLock returns nil if another process has the lock, or has removed the file since it was opened:
// a lock on a removed file excludes nobody.
func tryLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, err
	}
	ours, err := file.Stat()
	if err == nil {
		if current, err := os.Stat(path); err == nil && os.SameFile(ours, current) {
			return &lock{file}, nil
		}
	}
	file.Close()
	return nil, nil
}

// releaseAndRemove removes the file and releases the lock.
func (l *lock) releaseAndRemove() {
	os.Remove(l.file.Name())
	l.file.Close()
}
