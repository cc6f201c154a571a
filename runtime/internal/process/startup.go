package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// A controller works once the API server serves its kinds, and the operator's role allows to list and
// watch them. The others do not wait for that: each has its own event handlers, which controller-runtime
// waits for one controller at a time, and no cache holds the start of the process for long.

// discoverEvery is how often the API server is asked for kinds that it did not serve.
const discoverEvery = time.Minute

// ErrNotServed is the error of a controller whose kind the API server does not serve.
type ErrNotServed struct{ schema.GroupVersionKind }

func (e ErrNotServed) Error() string {
	return fmt.Sprintf("the API server does not know kind %s of %s: install its CRD (make install, for a kind of this project)", e.Kind, e.GroupVersion())
}

// startup is the controllers of a process on their way to work.
type startup struct {
	mgr         manager.Manager
	logger      *slog.Logger
	lease       *lease // nil without leader election
	metrics     Metrics
	every       time.Duration
	controllers []*starting
}

// starting is a controller on its way to work. Its probe reads it while it starts.
type starting struct {
	Controller
	environment *Environment

	mu      sync.Mutex
	missing error // what it lacks to be set up; nil once it is
	setUpAt time.Time
	awaited []awaitedKind
	said    string // in the log: the kinds that it waits for
}

// awaitedKind is a kind whose objects a controller has to know to work.
type awaitedKind struct {
	schema.GroupVersionKind
	isOptional bool // the API server need not serve it
	hasSynced  func() bool
}

// setUp adds the controller to the manager, if the API server serves its kinds. Other errors end the
// process.
func (s *starting) setUp(mgr manager.Manager) error {
	err := s.Controller.setUp(mgr, s.environment)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing, s.setUpAt = nil, time.Now()
	if errors.As(err, new(ErrNotServed)) {
		s.missing = err
		return nil
	}
	return err
}

// isSetUp reports whether the controller was added to the manager.
func (s *starting) isSetUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing == nil
}

// isFilling reports whether the controller was set up so recently that its caches are being filled.
func (s *starting) isFilling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing == nil && time.Since(s.setUpAt) < startGrace
}

// Await has the controller count as waiting until the objects of a kind are known, and again when lists and watches
// of the kind fail for long.
func (e *Environment) Await(kind schema.GroupVersionKind, isOptional bool, hasSynced func() bool) {
	if s := e.starting; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.awaited = append(s.awaited, awaitedKind{kind, isOptional, hasSynced})
	}
}

// waitsFor returns the kinds that the controller waits for, and why; none if it works.
func (s *starting) waitsFor() (kinds []string, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing != nil {
		return kindsIn(s.missing), strings.ReplaceAll(s.missing.Error(), "\n", "; ")
	}
	var reasons []string
	for _, kind := range s.awaited {
		if text, isAwaited := s.explainWait(kind); isAwaited && !slices.Contains(kinds, kind.Kind) {
			kinds, reasons = append(kinds, kind.Kind), append(reasons, text)
		}
	}
	return kinds, strings.Join(reasons, "; ")
}

// explainWait returns why the objects of a kind are not known; false if they are.
func (s *starting) explainWait(kind awaitedKind) (string, bool) {
	if !kind.hasSynced() {
		return explainList(kind.GroupVersionKind, s.environment.lists.failureOf(kind.GroupVersionKind, 0)), true
	}
	err := s.environment.lists.failureOf(kind.GroupVersionKind, s.environment.DiscoverEvery)
	return explainList(kind.GroupVersionKind, err), err != nil && (!kind.isOptional || !apierrors.IsNotFound(err))
}

// countUnreadable returns how many objects of each kind do not decode.
func (s *starting) countUnreadable() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for _, kind := range s.awaited {
		if n := s.environment.lists.countUnreadable(kind.GroupVersionKind); n > 0 {
			counts[kind.Kind] = n
		}
	}
	return counts
}

// kindsIn returns the kinds that are not served, by an error that joins them.
func kindsIn(err error) (kinds []string) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range several.Unwrap() {
			kinds = append(kinds, kindsIn(part)...)
		}
		return kinds
	}
	if missing, ok := errors.AsType[ErrNotServed](err); ok {
		kinds = append(kinds, missing.Kind)
	}
	return kinds
}

// NeedLeaderElection returns false: the caches of every replica are filled.
func (*startup) NeedLeaderElection() bool { return false }

// Start sets up the controllers that could not be set up before, and says what each waits for, until ctx is done: a
// CRD or a right may go at any time.
func (s *startup) Start(ctx context.Context) error {
	asked := time.Now()
	for tick := time.Tick(startGrace / 10); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		if time.Since(asked) >= s.every {
			asked = time.Now()
			if err := s.setUpMissing(); err != nil {
				return err
			}
		}
		s.reportAwaited()
	}
}

// setUpMissing sets up the controllers that were not set up yet.
func (s *startup) setUpMissing() error {
	for _, controller := range s.controllers {
		if controller.isSetUp() {
			continue
		}
		if err := controller.setUp(s.mgr); err != nil {
			return fmt.Errorf("controller %s: %w", controller.name, err)
		}
	}
	return nil
}

// reportAwaited counts the kinds that controllers wait for, and the objects that do not decode. The log and an Event
// of the lease say which kinds.
func (s *startup) reportAwaited() {
	for _, controller := range s.controllers {
		kinds, why := controller.waitsFor()
		s.metrics.SetAwaited(controller.name, kinds)
		s.metrics.SetUnreadable(controller.name, controller.countUnreadable())
		said := strings.Join(kinds, ", ")
		if said == controller.said || said != "" && controller.isFilling() {
			continue
		}
		if controller.said = said; said == "" {
			s.logger.Info("a controller waits no more", "controller", controller.name)
			continue
		}
		s.logger.Info("a controller waits", "controller", controller.name, "why", why)
		if s.lease != nil {
			s.lease.events.Eventf(s.lease.about, corev1.EventTypeWarning, "ControllerWaits", "%s", TruncateText(controller.name+" waits: "+why))
		}
	}
}
