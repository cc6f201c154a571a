package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// The CRD of an optional kind may be absent, come, go and come again. The informer of the kind is
// started when the CRD is there for the first time. It stays, and lists again once the CRD is back.
// While the kind is not served, reconciles pass it over.

// optionalKind is a kind that the API server may not serve.
type optionalKind struct {
	schema.GroupVersionKind
	served      atomic.Bool
	isChild     bool                                      // it is of children, and not of related objects
	hidden      atomic.Bool                               // while children are not served: they may exist in another version
	lacksStatus *atomic.Bool                              // that of the kind
	hasSynced   func() bool                               // nil before the informer is started
	start       func() (hasSynced func() bool, err error) // starts the informer and the event handlers
}

func newOptionalKind(of kind) *optionalKind {
	return &optionalKind{GroupVersionKind: of.GroupVersionKind, lacksStatus: of.lacksStatus}
}

// isServed reports whether the objects of the kind are known. A kind that is not optional always is.
func (k *optionalKind) isServed() bool { return k == nil || k.served.Load() }

// begin starts the informer. After an error nothing is started, and the next look tries again.
func (k *optionalKind) begin() error {
	hasSynced, err := k.start()
	if err != nil {
		return err
	}
	k.hasSynced = hasSynced
	return nil
}

// optionalKinds are those of a controller.
type optionalKinds struct {
	discovery discovery.ServerResourcesInterface
	every     time.Duration
	kinds     []*optionalKind

	mu      sync.Mutex
	started map[*loop]workqueue.TypedRateLimitingInterface[ctrl.Request]
}

func newOptionalKinds(client discovery.ServerResourcesInterface, environment *process.Environment) *optionalKinds {
	return &optionalKinds{discovery: client, every: environment.DiscoverEvery, started: map[*loop]workqueue.TypedRateLimitingInterface[ctrl.Request]{}}
}

// NeedLeaderElection returns false: the caches of every replica are filled.
func (*optionalKinds) NeedLeaderElection() bool { return false }

// Start looks for the kinds until ctx is done. When one comes or goes, all parents are reconciled.
func (o *optionalKinds) Start(ctx context.Context) error {
	for tick := time.Tick(o.every); ; {
		if o.refreshServed(ctx) {
			o.requeue(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
	}
}

// refreshServed asks the API server which of the kinds it serves, and which of these have a status
// subresource. It reports whether that has changed.
func (o *optionalKinds) refreshServed(ctx context.Context) (hasChanged bool) {
	for _, kind := range o.kinds {
		resources, err := listResources(o.discovery, kind.GroupVersion())
		isServed := err == nil && servesKind(resources, kind.Kind)
		if err == nil && !isServed && kind.isChild {
			hidden := o.servesOtherVersion(kind.GroupVersionKind)
			hasChanged = kind.hidden.Swap(hidden) != hidden || hasChanged
		}
		if err == nil && isServed && kind.hasSynced == nil {
			err = kind.begin()
		}
		if err != nil {
			log.FromContext(ctx).Error(err, "an optional kind is looked for again", "kind", kind.String(), "after", o.every.String())
			continue
		}
		isServed = isServed && o.waitFor(ctx, kind.hasSynced)
		if lacksStatus := health.LacksStatus(resources, kind.Kind); isServed && kind.lacksStatus.Swap(lacksStatus) != lacksStatus {
			hasChanged = true
		}
		if kind.served.Swap(isServed) != isServed {
			hasChanged = true
			log.FromContext(ctx).Info("an optional kind comes or goes", "kind", kind.String(), "served", isServed)
		}
	}
	return hasChanged
}

// servesOtherVersion reports whether the API server serves a kind in another version, or may do so. Its objects exist
// then, and nothing shows them.
func (o *optionalKinds) servesOtherVersion(kind schema.GroupVersionKind) bool {
	_, all, err := o.discovery.ServerGroupsAndResources()
	return len(all) == 0 && err != nil || slices.ContainsFunc(all, func(resources *metav1.APIResourceList) bool {
		version, _ := schema.ParseGroupVersion(resources.GroupVersion)
		return version.Group == kind.Group && servesKind(resources, kind.Kind)
	})
}

// checkHidden returns an error if the API server serves a kind of children in another version only: a parent that
// would go now left children behind.
func (l *loop) checkHidden() error {
	for _, kind := range l.childKinds {
		if !kind.isServed() && kind.optional.hidden.Load() {
			return errChild{key: apply.Key{Kind: kind.GroupVersionKind}, err: fmt.Errorf("the API server serves the kind, and not in version %s, in which the operator knows its children", kind.Version)}
		}
	}
	return nil
}

// waitFor waits until an informer has listed its kind, and reports false if the next look is due before.
func (o *optionalKinds) waitFor(ctx context.Context, hasSynced func() bool) bool {
	bounded, stop := context.WithTimeout(ctx, o.every)
	defer stop()
	return toolscache.WaitForCacheSync(bounded.Done(), hasSynced)
}

// addQueue is called with the work queue of a loop when its controller starts.
func (o *optionalKinds) addQueue(l *loop, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started[l] = queue
}

// requeue has all parents of the loops reconciled that have started.
func (o *optionalKinds) requeue(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for l, queue := range o.started {
		parents, err := l.listParents(ctx)
		if err != nil {
			log.FromContext(ctx).Error(err, "parents do not hear that an optional kind came or went")
		}
		for _, parent := range parents {
			queue.Add(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(parent)})
		}
	}
}

// addOptional has the optional kinds of children and of related objects come and go for all loops.
func (l *loop) addOptional(mgr manager.Manager, loops []*loop) error {
	for _, kind := range l.childKinds {
		if kind.optional != nil && kind.isFirst() {
			kind.optional.isChild, kind.optional.start = true, func() (func() bool, error) { return startChildren(mgr, l.childCache, kind, loops) }
			if !kind.isServed() { // before a reconcile decides about finalizers
				kind.optional.hidden.Store(l.optional.servesOtherVersion(kind.GroupVersionKind))
			}
			l.optional.kinds = append(l.optional.kinds, kind.optional)
		}
	}
	for _, each := range loops {
		for _, kind := range each.relatedKinds {
			if kind.optional != nil {
				kind.optional.start = func() (func() bool, error) { return startRelated(mgr, each, kind) }
				l.optional.kinds = append(l.optional.kinds, kind.optional)
			}
		}
	}
	if len(l.optional.kinds) == 0 {
		return nil
	}
	return mgr.Add(l.optional)
}

// startChildren has the cache fill with a kind of children, and the loops hear of them. No controller
// waits for that.
func startChildren(mgr manager.Manager, in *childCache, kind *childKind, loops []*loop) (hasSynced func() bool, err error) {
	hasSynced, err = kind.fill(mgr, in)
	for _, each := range loops {
		if err == nil {
			err = each.controller.Watch(source.Func(each.eventsOf(kind).Start))
		}
	}
	return hasSynced, err
}

// startRelated is startChildren for an entry of related objects.
func startRelated(mgr manager.Manager, l *loop, kind *relatedKind) (hasSynced func() bool, err error) {
	hasSynced, err = kind.connect(mgr, l)
	if err != nil {
		return nil, err
	}
	for _, changes := range l.watchRelated(kind) {
		if err == nil {
			err = l.controller.Watch(source.Func(changes.Start))
		}
	}
	return hasSynced, err
}

// unservedText says why a child of an optional kind is not applied.
const unservedText = "waits until the API server serves its kind"

// isUnserved reports whether a request failed since the API server does not serve the kind any more.
func (kind *childKind) isUnserved(err error) bool {
	return kind.optional != nil && (meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && strings.HasPrefix(err.Error(), "the server could not find the requested resource"))
}
