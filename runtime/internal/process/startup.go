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
	said    string // in the log
}

// awaitedKind is a kind whose objects a controller has to know before it works.
type awaitedKind struct {
	schema.GroupVersionKind
	hasSynced func() bool
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

// Await has the controller count as waiting until the objects of a kind are known.
func (e *Environment) Await(kind schema.GroupVersionKind, hasSynced func() bool) {
	if s := e.starting; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.awaited = append(s.awaited, awaitedKind{kind, hasSynced})
	}
}

// waitsFor returns the kinds that the controller waits for, and why; none if it works.
func (s *starting) waitsFor() (kinds []string, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing != nil {
		return kindsIn(s.missing), strings.ReplaceAll(s.missing.Error(), "\n", "; ")
	}
	for _, kind := range s.awaited {
		if !kind.hasSynced() && !slices.Contains(kinds, kind.Kind) {
			kinds = append(kinds, kind.Kind)
		}
	}
	if len(kinds) == 0 {
		return nil, ""
	}
	return kinds, "it has no answer yet to its list of " + strings.Join(kinds, ", ") + s.inEachNamespace() + ": does the operator's role allow to list and watch that?"
}

// inEachNamespace says that an operator of several namespaces needs a role in each; empty for another one.
func (s *starting) inEachNamespace() string {
	if s.environment == nil || len(s.environment.Namespaces) < 2 {
		return ""
	}
	return " in each of the namespaces " + strings.Join(s.environment.Namespaces, ", ")
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

// Start sets up the controllers that could not be set up before, and says what each waits for, until
// all of them work.
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
		if s.reportAwaited() {
			return nil
		}
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

// reportAwaited logs and counts the kinds that controllers wait for, and returns whether all
// controllers work.
func (s *startup) reportAwaited() (allWork bool) {
	allWork = true
	for _, controller := range s.controllers {
		kinds, why := controller.waitsFor()
		allWork = allWork && len(kinds) == 0
		s.metrics.SetAwaited(controller.name, kinds)
		if why == controller.said || why != "" && controller.isFilling() {
			continue
		}
		if controller.said = why; why != "" {
			s.logger.Info("a controller waits", "controller", controller.name, "why", why)
			continue
		}
		s.logger.Info("a controller waits no more", "controller", controller.name)
	}
	return allWork
}
