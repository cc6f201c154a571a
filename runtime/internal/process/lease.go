package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// The times of leader election are those of Kubernetes' own controllers. A leader stops
// before another replica may take over.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	leaseTimeout  = renewDeadline + retryPeriod // since it was renewed last
)

// lease is the lock that elects the leader. It calls onLoss when the lease is lost, since
// the elector itself goes on for ten seconds after it has seen another holder.
type lease struct {
	resourcelock.Interface // nil until it has a name
	newLock                func(name string) (resourcelock.Interface, error)

	onLoss func(error)
	events *leaseEvents

	mu      sync.Mutex
	leading bool
	renewed time.Time
	timer   *time.Timer
}

// errLeaseLost is the error of an operator that no longer leads.
type errLeaseLost struct {
	lease  string
	holder string // empty if it could not be renewed
}

func (e errLeaseLost) Error() string {
	if e.holder != "" {
		return fmt.Sprintf("the lease %s was taken over by %s: this replica has stopped writing; started again, it waits for its turn", e.lease, e.holder)
	}
	return fmt.Sprintf("the lease %s could not be renewed for %s: this replica has stopped writing; check that the API server can be reached, and that the operator's role lets it update leases", e.lease, leaseTimeout)
}

// newLease returns the lock, which has no name yet. onLoss is called, once or more, when it
// is lost.
func newLease(config *rest.Config, options Options, onLoss func(error)) (*lease, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	namespace := cmp.Or(options.LeaderElectNamespace, podNamespace())
	if namespace == "" {
		return nil, errors.New("leader election needs a namespace for its Lease: pass --leader-elect-namespace")
	}
	l := &lease{onLoss: onLoss, events: new(leaseEvents)}
	identity := host + "_" + string(uuid.NewUUID())
	l.newLock = func(name string) (resourcelock.Interface, error) {
		return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, name, resourcelock.ResourceLockConfig{
			Identity:      identity,
			EventRecorder: l.events,
		}, config, renewDeadline)
	}
	return l, nil
}

// setNames names the lease, and the former one that is held beside it; empty: none is.
func (l *lease) setNames(name, former string) (err error) {
	if l.Interface, err = l.newLock(name); err != nil || former == "" {
		return err
	}
	both := &bothLeases{Interface: l.Interface}
	both.former, err = l.newLock(former)
	l.Interface = both
	return err
}

// podNamespace returns the namespace of the Pod that this process runs in; empty outside of
// a Pod.
func podNamespace() string {
	data, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(data))
}

// Get reads the record, and stops the operator if another replica has taken over.
func (l *lease) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil && record.HolderIdentity != "" && record.HolderIdentity != l.Identity() {
		l.endIfLeading(record.HolderIdentity)
	}
	return record, raw, err
}

// Create creates the record, with this replica as its holder.
func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	begun := time.Now()
	err := l.Interface.Create(ctx, record)
	if err == nil {
		l.recordWrite(record, begun)
	}
	return err
}

// Update renews the record, takes it over, or releases it.
func (l *lease) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	begun := time.Now()
	err := l.Interface.Update(ctx, record)
	if err == nil {
		l.recordWrite(record, begun)
	}
	return err
}

func (l *lease) recordWrite(record resourcelock.LeaderElectionRecord, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leading, l.renewed = record.HolderIdentity == l.Identity(), at
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.leading {
		l.timer = time.AfterFunc(leaseTimeout-time.Since(at), func() { l.onLoss(errLeaseLost{lease: l.Describe()}) })
	}
}

func (l *lease) endIfLeading(holder string) {
	l.mu.Lock()
	leading := l.leading
	l.mu.Unlock()
	if leading {
		l.onLoss(errLeaseLost{l.Describe(), holder})
	}
}

// isExpired reports whether the lease is this replica's and has run out: the timer
// of a process that was suspended may come later than its writes.
func (l *lease) isExpired() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leading && time.Since(l.renewed) > leaseTimeout
}

// stopTimer stops watching.
func (l *lease) stopTimer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leading = false
	if l.timer != nil {
		l.timer.Stop()
	}
}

// leaseEvents records Events about the lease, once there is a manager.
type leaseEvents struct{ recorder events.EventRecorder }

// Eventf records an Event.
func (l *leaseEvents) Eventf(object runtime.Object, eventType, reason, message string, args ...any) {
	if l.recorder != nil {
		l.recorder.Eventf(object, nil, eventType, reason, "Elect", message, args...)
	}
}
