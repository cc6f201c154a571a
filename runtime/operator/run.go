package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/scrape"
)

// Run runs controllers against the API server of config until ctx is done, and
// then lets the passes under way end. controllers makes them once there is a
// manager. Programs call [Main]; Run is for tests and for what embeds an
// operator.
func Run(ctx context.Context, config *rest.Config, options Options, controllers func(Manager) ([]Controller, error)) error {
	life := newLifetime(ctx)
	defer life.end(errStopped)
	mgr, err := newManager(config, options, life)
	if err != nil {
		return err
	}
	if options.Setup != nil {
		if err := options.Setup(mgr); err != nil {
			return err
		}
	}
	if err := addControllers(mgr, options, life, controllers); err != nil {
		return err
	}
	options.Control.Complete()
	if err := addProbes(mgr); err != nil {
		return err
	}
	return startManager(ctx, mgr, life)
}

func newManager(config *rest.Config, options Options, life *lifetime) (Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	logger := cmp.Or(options.Logger, slog.Default())
	cached := cacheOptions(options)
	cached.ReaderFailOnMissingInformer = true // so that a read starts no watch
	metrics := metricsserver.Options{BindAddress: options.MetricsAddress}
	if options.MetricsSecure {
		metrics.SecureServing = true
		metrics.FilterProvider = scrape.Filter
	}
	var lock resourcelock.Interface
	if options.LeaderElect {
		var err error
		if life.lease, err = newLease(config, options, func(err error) { life.end(err) }); err != nil {
			return nil, err
		}
		lock = life.lease
	}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{next, life} })
	mgr, err := manager.New(config, manager.Options{
		Scheme:                              scheme,
		Cache:                               cached,
		NewCache:                            options.Control.NewCache,
		NewClient:                           clientFor(options.Namespace),
		Logger:                              logr.FromSlogHandler(logger.Handler()),
		Metrics:                             metrics,
		HealthProbeBindAddress:              options.HealthAddress,
		PprofBindAddress:                    options.PprofAddress,
		LeaderElection:                      options.LeaderElect,
		LeaseDuration:                       ptr.To(leaseDuration),
		RenewDeadline:                       ptr.To(renewDeadline),
		RetryPeriod:                         ptr.To(retryPeriod),
		LeaderElectionReleaseOnCancel:       true,
		LeaderElectionResourceLockInterface: lock,
	})
	if err == nil && life.lease != nil {
		life.lease.events.recorder = mgr.GetEventRecorder("leader-election")
	}
	return mgr, err
}

// cacheOptions are what all caches have in common.
func cacheOptions(options Options) cache.Options {
	cached := cache.Options{
		DefaultTransform:         apply.NewTrimmer().Trim,
		SyncPeriod:               ptr.To(options.Resync),
		DefaultWatchErrorHandler: watchErrors(cmp.Or(options.Logger, slog.Default())),
	}
	if options.Namespace != "" {
		cached.DefaultNamespaces = map[string]cache.Config{options.Namespace: {}}
	}
	return cached
}

func addControllers(mgr Manager, options Options, life *lifetime, controllers func(Manager) ([]Controller, error)) error {
	made, err := controllers(mgr)
	if err != nil {
		return err
	}
	if life.lease != nil {
		if err := life.lease.setNames(leaseNames(options, made)); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for _, controller := range made {
		if names[controller.name] {
			return fmt.Errorf("two controllers are named %s", controller.name)
		}
		names[controller.name] = true
		if err := controller.setUp(mgr, options, life); err != nil {
			return fmt.Errorf("controller %s: %w", controller.name, err)
		}
	}
	return nil
}

// addProbes makes the process healthy once it runs, and ready once its caches
// are filled; those of children add themselves.
func addProbes(mgr Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("caches", whenFilled(mgr.GetCache()))
}

// whenFilled is the probe that waits for a cache.
func whenFilled(cache cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !cache.WaitForCacheSync(ctx) {
			return errors.New("a cache is not filled yet")
		}
		return nil
	}
}
