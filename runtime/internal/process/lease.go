package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// The times of leader election are those of Kubernetes' own controllers. A leader stops
// before another replica may take over.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	leaseTimeout  = renewDeadline + retryPeriod // since it was renewed last
)

// leasePatience is how long no replica may have written the lease until the operator says that it does not work.
const leasePatience = time.Minute

// lease is the lock that elects the leader. It calls onLoss when the lease is lost, since
// the elector itself goes on for ten seconds after it has seen another holder.
type lease struct {
	resourcelock.Interface // nil until it has a name
	newLock                func(name string) (resourcelock.Interface, error)

	onLoss func(error)
	events *leaseEvents
	logger *slog.Logger
	about  *coordinationv1.Lease // for Events
	metric prometheus.Gauge      // 1 while no replica has written the lease for long

	mu          sync.Mutex
	other       string // the holder that was logged last
	leading     bool
	renewed     time.Time // by the monotonic clock, which stands still while a machine is suspended
	renewedWall time.Time // by the wall clock, which somebody may set
	written     time.Time // by any replica, as far as this one knows; before that, its own start
	read        []byte    // the record that was read last
	failed      error     // why this replica could not read or write it; nil once any has written it
	announced   time.Time // when an Event said last that no replica writes the lease; zero: one does
	ended       error     // set once the lease is lost or about to be released; nothing is written after that
	timer       *time.Timer
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

// errLeaseReleased is the error of a write after the operator has stopped.
type errLeaseReleased struct{ lease string }

func (e errLeaseReleased) Error() string {
	return fmt.Sprintf("the lease %s was released, since this replica stops: it writes no more", e.lease)
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
	l := &lease{onLoss: onLoss, events: new(leaseEvents), logger: cmp.Or(options.Logger, slog.Default()), written: time.Now()}
	identity := host + "_" + string(uuid.NewUUID())
	l.newLock = func(name string) (resourcelock.Interface, error) {
		l.about = &coordinationv1.Lease{
			TypeMeta:   metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		}
		return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, name, resourcelock.ResourceLockConfig{
			Identity:      identity,
			EventRecorder: l.events,
		}, config, renewDeadline)
	}
	return l, nil
}

// createLock names the lease.
func (l *lease) createLock(name string, m Metrics) (err error) {
	l.Interface, err = l.newLock(name)
	l.metric = m.leases.WithLabelValues(name)
	return err
}

// leaseName returns the name of the lease that elects the leader: that of --leader-elect-id, or else of
// the project. A program whose controllers are of no project gives it its own.
func leaseName(settings Settings, controllers []Controller) string {
	name := settings.LeaderElectID
	for _, controller := range controllers {
		name = cmp.Or(name, controller.project)
	}
	return cmp.Or(name, settings.Program)
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

// Get reads the record, and stops the operator if another replica has taken over. An operator that
// waits for the lease logs who holds it.
func (l *lease) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	l.noteRead(raw, err)
	if err == nil && record.HolderIdentity != "" && record.HolderIdentity != l.Identity() {
		l.endIfLeading(record.HolderIdentity)
		l.logHolder(record.HolderIdentity)
	}
	return record, raw, err
}

// noteRead notes whether the record has changed since it was read last. If no replica has written it for long, an Event,
// the log and the metric say so.
func (l *lease) noteRead(raw []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && !bytes.Equal(raw, l.read) {
		l.read = raw
		l.noteWritten(time.Now())
	}
	if err != nil && !apierrors.IsNotFound(err) { // a replica creates it then
		l.failed = err
	}
	if time.Since(l.written) <= leasePatience || time.Since(l.announced) < backoff.RepeatEvent {
		return
	}
	l.announced = time.Now()
	l.metric.Set(1)
	l.logger.Error("the operator does not work", "why", l.errUnavailable())
	l.events.Eventf(l.about, corev1.EventTypeWarning, "LeaseUnavailable", "%s", l.errUnavailable())
}

// noteWritten notes that a replica has written the lease. The caller holds the lock.
func (l *lease) noteWritten(at time.Time) {
	l.written, l.announced, l.failed = at, time.Time{}, nil
	l.metric.Set(0)
}

// checkReady returns an error until a replica is known to have written the lease, and while none has for long.
func (l *lease) checkReady(*http.Request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isKnown := l.read != nil || !l.renewed.IsZero(); isKnown && time.Since(l.written) <= leasePatience {
		return nil
	}
	return l.errUnavailable()
}

func (l *lease) errUnavailable() error {
	switch text := "no replica holds the lease " + l.Describe(); {
	case l.failed == nil:
		return errors.New(text)
	case LacksRight(l.failed):
		return fmt.Errorf("%s: the operator's role does not let it get, create and update leases there, and make deploy applies the generated role: %w", text, l.failed)
	default:
		return fmt.Errorf("%s: %w", text, l.failed)
	}
}

// logHolder logs once that another replica holds the lease.
func (l *lease) logHolder(holder string) {
	l.mu.Lock()
	isKnown := l.ended != nil || l.other == holder
	l.other = holder
	l.mu.Unlock()
	if !isKnown {
		l.logger.Info("waits for the lease, which another process holds", "lease", l.Describe(), "holder", holder)
	}
}

// Create creates the record, with this replica as its holder.
func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	begun := time.Now()
	return l.recordWrite(record, begun, l.Interface.Create(ctx, record))
}

// Update renews the record, takes it over, or releases it. Writes end before the release: another
// replica may lead before this one has the answer.
func (l *lease) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	begun := time.Now()
	if record.HolderIdentity != l.Identity() {
		l.setEnded(errLeaseReleased{l.Describe()})
	}
	return l.recordWrite(record, begun, l.Interface.Update(ctx, record))
}

// recordWrite records how a write went, and returns its error.
func (l *lease) recordWrite(record resourcelock.LeaderElectionRecord, at time.Time, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed = err
		return err
	}
	l.leading, l.renewed, l.renewedWall = record.HolderIdentity == l.Identity(), at, at.Round(0)
	l.noteWritten(at)
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.leading {
		l.timer = time.AfterFunc(leaseTimeout-time.Since(at), func() { l.lose(errLeaseLost{lease: l.Describe()}) })
	}
	return nil
}

func (l *lease) endIfLeading(holder string) {
	l.mu.Lock()
	leading := l.leading
	l.mu.Unlock()
	if leading {
		l.lose(errLeaseLost{l.Describe(), holder})
	}
}

// lose ends all writes, and calls onLoss.
func (l *lease) lose(cause errLeaseLost) {
	l.setEnded(cause)
	l.onLoss(cause)
}

// setEnded ends all writes. The first cause counts.
func (l *lease) setEnded(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = cmp.Or(l.ended, cause)
}

// writeError returns the reason why nothing may be written any more, or nil. A lease that has run
// out counts as lost before the timer says so, which comes late after a suspension of the machine.
// Of the two clocks the one counts that says more.
func (l *lease) writeError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.ended == nil && l.leading && max(now.Sub(l.renewed), now.Round(0).Sub(l.renewedWall)) > leaseTimeout {
		return errLeaseLost{lease: l.Describe()}
	}
	return l.ended
}

// stopTimer stops watching.
func (l *lease) stopTimer() {
	l.mu.Lock()
	defer l.mu.Unlock()
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
