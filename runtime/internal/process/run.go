package process

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Run runs controllers against the API server of config until ctx is done, and then lets
// the reconciles that have begun end. newControllers is called once there is a manager.
func Run(ctx context.Context, config *rest.Config, settings Settings, newControllers func(manager.Manager) ([]Controller, error)) error {
	settings.DiscoverEvery = cmp.Or(settings.DiscoverEvery, discoverEvery)
	if settings.Observe {
		settings.LeaderElect = false
		cmp.Or(settings.Logger, slog.Default()).Info("observes: takes no lease, and logs what would be written", "flag", "--observe")
	}
	if err := checkNamespaces(settings.Namespaces); err != nil {
		return fmt.Errorf("namespaces of the operator: %w", err)
	}
	life := newLifetime(ctx)
	defer life.end(errStopped)
	if settings.IsLimited() {
		cmp.Or(settings.Logger, slog.Default()).Info("working in some namespaces only", "namespaces", strings.Join(settings.Namespaces, ","))
	}
	mgr, err := newManager(config, settings, life)
	if err != nil {
		return err
	}
	if settings.Setup != nil {
		if err := settings.Setup(mgr); err != nil {
			return err
		}
	}
	controllers, err := newControllers(mgr)
	if err != nil {
		return err
	}
	if err := mgr.addControllers(settings, life, controllers); err != nil {
		return err
	}
	settings.Control.Complete()
	return startManager(ctx, mgr, life)
}

func newManager(config *rest.Config, settings Settings, life *lifetime) (probedManager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return probedManager{}, err
	}
	logger := cmp.Or(settings.Logger, slog.Default())
	lists := &listings{logger: logger, scheme: scheme}
	caches := cacheOptions(settings.Options, lists)
	caches.ReaderFailOnMissingInformer = true // so that a read starts no watch
	registry := prometheus.NewRegistry()
	metrics, err := metricsOptions(settings.Options, registry)
	if err != nil {
		return probedManager{}, err
	}
	var lock resourcelock.Interface
	if settings.LeaderElect {
		if life.lease, err = newLease(config, settings.Options, func(err error) { life.end(err) }); err != nil {
			return probedManager{}, err
		}
		lock = life.lease
	}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{next, life, settings.Observe} })
	webhooks := newWebhookServer(settings.Options)
	mgr, err := manager.New(config, manager.Options{
		Scheme:                              scheme,
		Cache:                               caches,
		NewCache:                            newBoundedCache(settings.Control.NewCache),
		NewClient:                           newClientFunc(settings.Namespaces),
		Logger:                              logr.FromSlogHandler(newLineHandler(logger.Handler())),
		Metrics:                             metrics,
		HealthProbeBindAddress:              "0", // see probes.go
		PprofBindAddress:                    settings.PprofAddress,
		WebhookServer:                       webhooks,
		LeaderElection:                      settings.LeaderElect,
		LeaseDuration:                       ptr.To(leaseDuration),
		RenewDeadline:                       ptr.To(renewDeadline),
		RetryPeriod:                         ptr.To(retryPeriod),
		LeaderElectionReleaseOnCancel:       true,
		LeaderElectionID:                    settings.LeaderElectID, // names the lease in metrics
		LeaderElectionResourceLockInterface: lock,
	})
	if err != nil {
		return probedManager{}, err
	}
	if life.lease != nil {
		life.lease.events.recorder = mgr.GetEventRecorder("leader-election")
	}
	probed := probedManager{mgr, newProbes(webhooks, life.lease), registry, lists}
	return probed, probed.probes.serve(mgr, settings.HealthAddress)
}

// cacheOptions returns the options that all caches have in common.
func cacheOptions(options Options, lists *listings) cache.Options {
	caches := cache.Options{
		DefaultTransform:         managedfields.NewTrimmer().Trim,
		NewInformer:              lists.newInformer,
		SyncPeriod:               ptr.To(options.Resync),
		DefaultWatchErrorHandler: newWatchErrorHandler(cmp.Or(options.Logger, slog.Default())),
	}
	for _, namespace := range options.Namespaces {
		if caches.DefaultNamespaces == nil {
			caches.DefaultNamespaces = map[string]cache.Config{}
		}
		caches.DefaultNamespaces[namespace] = cache.Config{}
	}
	return caches
}

// addControllers sets up the controllers whose kinds the API server serves, and has the others set up
// when it does.
func (mgr probedManager) addControllers(settings Settings, life *lifetime, controllers []Controller) error {
	environment, err := newEnvironment(settings, life, mgr)
	if err != nil {
		return err
	}
	if life.lease != nil {
		if err := life.lease.createLock(leaseName(settings, controllers), environment.Metrics); err != nil {
			return err
		}
	}
	if err := addRelated(mgr, environment); err != nil {
		return err
	}
	started := &startup{mgr: mgr, logger: cmp.Or(settings.Logger, slog.Default()), lease: life.lease, metrics: environment.Metrics, every: settings.DiscoverEvery}
	names := map[string]bool{}
	for _, controller := range controllers {
		if names[controller.name] {
			return fmt.Errorf("two controllers are named %s", controller.name)
		}
		names[controller.name] = true
		own := *environment
		own.Sources = controller.sources
		own.starting = &starting{Controller: controller, environment: &own}
		if err := own.starting.setUp(mgr); err != nil {
			return fmt.Errorf("controller %s: %w", controller.name, err)
		}
		started.controllers = append(started.controllers, own.starting)
	}
	mgr.probes.controllers = started.controllers
	return mgr.Add(started)
}
