//go:build linux || darwin

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLockAdmitsOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := acquireLock(t.Context(), path, func() { t.Error("the first waited") })
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	got := make(chan error)
	go func() {
		second, err := acquireLock(t.Context(), path, func() { close(waiting) })
		if err == nil {
			second.releaseAndRemove()
		}
		got <- err
	}()
	<-waiting
	select {
	case err := <-got:
		t.Fatalf("the second had the lock beside the first: %v", err)
	default:
	}
	first.releaseAndRemove()
	if err := <-got; err != nil {
		t.Errorf("the second did not get the lock: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock's file is left: %v", err)
	}
}

func TestWaitForALockCanBeInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := acquireLock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer held.releaseAndRemove()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := acquireLock(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, expected the interruption", err)
	}
}
