package process

import (
	"cmp"
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// Controller is a controller that a process runs.
type Controller struct {
	name    string
	project string // empty if it has none
	kinds   BindKinds
	setUp   func(manager.Manager, *Environment) error
	sources []Source
}

// BindKinds returns the kinds of children of a controller, bound to the generated structs of observed
// and desired children, to which these point. It panics if they are those of another controller.
type BindKinds func(observed, desired any) []declared.ChildKind

// NewController returns a controller that setUp adds to a manager.
func NewController(name, project string, kinds BindKinds, setUp func(manager.Manager, *Environment) error) Controller {
	return Controller{name: name, project: project, kinds: kinds, setUp: setUp}
}

// KindsOf returns what binds the kinds of a controller, for tests.
func KindsOf(controller Controller) BindKinds { return controller.kinds }

// Environment is what a controller needs of the process that runs it.
type Environment struct {
	Settings
	Metrics  Metrics
	Registry *prometheus.Registry // of the metrics of this operator alone
	Related  *related.Watches     // of related objects, which all controllers share
	Sources  []Source             // that have parents of the controller reconciled
	life     *lifetime
	lists    *listings // of all caches
	starting *starting // the controller
}

func newEnvironment(settings Settings, life *lifetime, mgr probedManager) (*Environment, error) {
	registered, err := newMetrics(metrics.Registry)
	if settings.Observe {
		registered.writes = nil
	}
	return &Environment{Settings: settings, Metrics: registered, Registry: mgr.registry, life: life, lists: mgr.lists}, err
}

// ReconcileContext returns the context of a reconcile that begins now: it has the values of
// ctx, and ends with the process. It returns nil if no reconcile may begin any more.
func (e *Environment) ReconcileContext(ctx context.Context) context.Context {
	return e.life.reconcileContext(ctx)
}

// OwnNamespace returns the namespace in which the operator keeps what is its own: that of its
// Lease, or of its Pod, whatever the namespaces are that it works in.
func (e *Environment) OwnNamespace() string {
	return cmp.Or(e.LeaderElectNamespace, podNamespace(), metav1.NamespaceDefault)
}

// AddCache adds a cache to the manager. limit completes the options that all caches have.
func (e *Environment) AddCache(mgr manager.Manager, limit func(*cache.Options)) (cache.Cache, error) {
	added, err := e.newCache(mgr, func(o *cache.Options) error { limit(o); return nil })
	if err != nil {
		return nil, err
	}
	return added, mgr.Add(startedWithCaches{added})
}

// newCache makes a cache that nothing starts. limit completes the options that all caches have.
func (e *Environment) newCache(mgr manager.Manager, limit func(*cache.Options) error) (cache.Cache, error) {
	options := cacheOptions(e.Options, e.lists)
	options.Scheme, options.Mapper, options.HTTPClient = mgr.GetScheme(), mgr.GetRESTMapper(), mgr.GetHTTPClient()
	options.SyncPeriod = ptr.To(noResync) // the resync of the parents' cache suffices
	if err := limit(&options); err != nil {
		return nil, err
	}
	return newBoundedCache(e.Control.NewCache)(mgr.GetConfig(), options)
}

// noResync is a period that never ends.
const noResync = time.Duration(0)

// startedWithCaches has a manager start a cache together with its own.
type startedWithCaches struct{ cache.Cache }

// GetCache returns the cache.
func (s startedWithCaches) GetCache() cache.Cache { return s.Cache }
