package process

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// startManager runs a manager until ctx is done. It returns without waiting for the manager
// in two cases: the caches have never synced, since the manager would wait for them forever;
// or the lease is lost, since another replica works already.
func startManager(ctx context.Context, mgr manager.Manager, life *lifetime) error {
	synced := make(chan struct{})
	if err := mgr.Add(afterCaches(func() { close(synced) })); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	if life.lease != nil {
		defer life.lease.stopTimer()
	}
	stopped := ctx.Done()
	for {
		select {
		case err := <-ended:
			return cmp.Or(leaseError(life), err)
		case <-life.reconciles.Done():
			if err := leaseError(life); err != nil {
				return err
			}
			return <-ended
		case <-stopped:
			stopped = nil
		}
		select {
		case <-synced:
		default:
			return nil
		}
	}
}

// leaseError returns the error that ended the reconciles if it was the loss of the lease.
func leaseError(life *lifetime) error {
	if leaseLost, ok := errors.AsType[errLeaseLost](context.Cause(life.reconciles)); ok {
		return leaseLost
	}
	return nil
}

// afterCaches is a function that a manager calls once its caches have synced, leader or not.
type afterCaches func()

var _ manager.LeaderElectionRunnable = afterCaches(nil)

// Start calls the function.
func (f afterCaches) Start(context.Context) error {
	f()
	return nil
}

// NeedLeaderElection returns false: every replica calls the function.
func (afterCaches) NeedLeaderElection() bool { return false }

// repeatWatchError is how long the same missing right is not logged again.
const repeatWatchError = 10 * time.Minute

// newWatchErrorHandler returns a handler of errors that end a list or watch. It logs a
// missing right with what to do about it, for each kind and namespace once in a while. The list is
// retried.
func newWatchErrorHandler(logger *slog.Logger) toolscache.WatchErrorHandlerWithContext {
	var mu sync.Mutex
	logged := map[string]time.Time{}
	return func(ctx context.Context, r *toolscache.Reflector, err error) {
		if !LacksRight(err) {
			toolscache.DefaultWatchErrorHandler(ctx, r, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		list := r.TypeDescription() + " " + namespaceOf(err)
		if time.Since(logged[list]) < repeatWatchError {
			return
		}
		logged[list] = time.Now()
		logger.Error("the operator's role lacks a right and it waits for that: "+adviseOnList(err), "err", err)
	}
}

// namespaceOf returns the namespace that an authorizer has refused a request in; empty for a request to all. No field of
// the error has it.
func namespaceOf(err error) string {
	_, after, _ := strings.Cut(err.Error(), `in the namespace "`)
	name, _, _ := strings.Cut(after, `"`)
	return name
}

// adviseOnList says what helps if the operator's role lacks the right to list or watch a kind. A request to one namespace
// shows that the operator asks for some only.
func adviseOnList(err error) string {
	if namespace := namespaceOf(err); namespace != "" {
		return "make deploy applies the generated role, unless namespace " + namespace + " is being deleted with the RoleBinding"
	}
	return "make deploy applies the generated role, and --namespace asks for some namespaces only"
}

// LacksRight reports whether an authorizer refused a request. Admission refuses with the
// same code: a quota, a security policy, or a namespace that is being deleted.
func LacksRight(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), `is forbidden: User "`)
}
