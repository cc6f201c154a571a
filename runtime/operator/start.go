package operator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// startManager runs a manager until ctx is done. While the caches have never
// been filled there is nothing to end in order, and the manager would wait for
// them forever; so it is left behind then. It is left behind as well when the
// lease is lost: another replica works already.
func startManager(ctx context.Context, mgr Manager, life *lifetime) error {
	filled := make(chan struct{})
	if err := mgr.Add(afterCaches(func() { close(filled) })); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	if life.lease != nil {
		defer life.lease.end()
	}
	stopped := ctx.Done()
	for {
		select {
		case err := <-ended:
			return cmp.Or(lostLease(life), err)
		case <-life.passes.Done():
			if err := lostLease(life); err != nil {
				return err
			}
			return <-ended
		case <-stopped:
			stopped = nil
		}
		select {
		case <-filled:
		default:
			return nil
		}
	}
}

// lostLease returns the error that ended the passes if it was the loss of the
// lease.
func lostLease(life *lifetime) error {
	if lost, ok := errors.AsType[errLeaseLost](context.Cause(life.passes)); ok {
		return lost
	}
	return nil
}

// afterCaches is called once by a manager whose caches are filled, leader or not.
type afterCaches func()

var _ manager.LeaderElectionRunnable = afterCaches(nil)

// Start is called when the caches are filled.
func (f afterCaches) Start(context.Context) error {
	f()
	return nil
}

// NeedLeaderElection says that this is not for the leader alone.
func (afterCaches) NeedLeaderElection() bool { return false }

// watchErrors returns what is called when a list or watch ends with an error.
// A missing right is said once for each kind, with what to do about it; the
// list is tried again all the while.
func watchErrors(logger *slog.Logger) toolscache.WatchErrorHandlerWithContext {
	var said sync.Map
	return func(ctx context.Context, r *toolscache.Reflector, err error) {
		if !lacksRight(err) {
			toolscache.DefaultWatchErrorHandler(ctx, r, err)
			return
		}
		if _, before := said.LoadOrStore(r.TypeDescription(), true); !before {
			logger.Error("the operator's role lacks a right and it waits for that: make deploy applies the generated role, and --namespace asks for one namespace only",
				"err", err)
		}
	}
}
