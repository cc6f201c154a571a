package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Down stops an instance and removes its directory. It reports whether there was one.
func Down(ctx context.Context, state StateDir, name string) (bool, error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	if _, err := os.Lstat(state.instanceDir(name)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock, err := state.lockInstance(ctx, name)
	if err != nil {
		return false, err
	}
	defer lock.releaseAndRemove()
	instance, err := state.loadInstance(name)
	if err != nil || instance == nil {
		return false, err
	}
	return true, instance.remove(ctx)
}

// remove stops the processes of the instance, and only then removes its directory: if that fails,
// the record still names the processes for another attempt.
func (i *Instance) remove(ctx context.Context) error {
	if err := stopProcesses(ctx, i.Processes); err != nil {
		return fmt.Errorf("stop cluster %q: %w", i.Name, err)
	}
	if err := i.removeCgroup(); err != nil {
		return fmt.Errorf("stop cluster %q: %w", i.Name, err)
	}
	return os.RemoveAll(i.Dir)
}

// checkWritable returns an error if no instance of the name can be written. It is for whoever first does what takes long.
func (s StateDir) checkWritable(name string) error {
	err := os.MkdirAll(s.clustersDir(), 0o700)
	if err == nil {
		var held *lock
		if held, err = tryLock(s.instanceLock(name)); held != nil {
			held.releaseAndRemove()
		}
	}
	if err != nil {
		return fmt.Errorf("%w: set OPGEN_STATE to a directory that can be written", err)
	}
	return nil
}

func (s StateDir) lockInstance(ctx context.Context, name string) (*lock, error) {
	if err := s.checkWritable(name); err != nil {
		return nil, err
	}
	l, err := acquireLock(ctx, s.instanceLock(name), func() {})
	if err != nil {
		return nil, fmt.Errorf("lock cluster %q: %w", name, err)
	}
	return l, nil
}
