package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// SetUp registers a definition's types, and adds a controller for each kind of parents to the
// manager. It changes nothing of the manager and returns a process.ErrNotServed if the API server does
// not serve its kinds.
func SetUp(mgr manager.Manager, environment *process.Environment, definition Definition) error {
	if err := definition.Schemes.AddToScheme(mgr.GetScheme()); err != nil {
		return err
	}
	if err := checkServed(mgr, definition); err != nil {
		return err
	}
	shared, err := newLoop(mgr, environment, definition)
	if err != nil {
		return err
	}
	for i, childKind := range definition.Children {
		added, err := shared.childCache.addKind(mgr, childKind)
		if err != nil {
			return err
		}
		added.index, added.applier.Client = i, shared.client
		added.ForbidDisconnect = added.ForbidDisconnect || definition.ForbidDisconnect
		shared.childKinds = append(shared.childKinds, added)
	}
	if err := findStatuses(shared.optional.discovery, shared.kindsWithoutRule()); err != nil {
		return err
	}
	var loops []*loop
	for _, parentKind := range definition.Parents {
		l, err := newLoopOver(mgr, *shared, parentKind)
		if err != nil {
			return err
		}
		name := definition.Name
		if len(definition.Parents) > 1 {
			name += "-" + l.parentKind.Kind
		}
		if err := l.watch(mgr, name); err != nil {
			return err
		}
		loops = append(loops, l)
	}
	return shared.addOptional(mgr, loops)
}

// kindsWithoutRule returns the kinds of children that are served, and whose children are ready by the
// rules for the kind.
func (l *loop) kindsWithoutRule() (kinds []kind) {
	for _, child := range l.childKinds {
		if child.isServed() && child.ReadyWhen == nil {
			kinds = append(kinds, child.kind)
		}
	}
	return kinds
}

// checkServed returns an error that joins the kinds which the API server does not serve, but for
// optional ones.
func checkServed(mgr manager.Manager, definition Definition) error {
	var objects []client.Object
	for _, parent := range definition.Parents {
		objects = append(objects, parent.Object)
	}
	for _, child := range definition.Children {
		if !child.PruneOnly && !child.Optional {
			objects = append(objects, child.Object)
		}
	}
	for _, related := range definition.Related {
		if !related.Optional {
			objects = append(objects, related.Object)
		}
	}
	var missing []error
	seen := map[error]bool{}
	for _, object := range objects {
		if _, err := newKind(mgr, object); err != nil && !seen[err] {
			missing, seen[err] = append(missing, err), true
		}
	}
	return errors.Join(missing...)
}

// newLoop returns what the loops over all kinds of parents share.
func newLoop(mgr manager.Manager, environment *process.Environment, definition Definition) (*loop, error) {
	shard, err := newShard(environment.ParentSelector)
	if err != nil {
		return nil, err
	}
	name, group := definition.Name, definition.Group
	limits, err := limitChildren(mgr, environment.Namespaces, definition)
	if err != nil {
		return nil, err
	}
	manager := managedfields.FieldManager(name, group)
	children, err := newChildCache(mgr, environment, manager, ownership.KeysOf(group, name), limits)
	if err != nil {
		return nil, err
	}
	children.takesFrom, children.former = definition.TakeOverFrom, parseFormer(definition.TakeOverFrom)
	limiter, err := newBrake(mgr, environment, name, group)
	if err != nil {
		return nil, err
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	return &loop{
		definition:  definition,
		environment: environment,
		finalizer:   finalizerOf(group),
		manager:     manager,
		patchMarks:  ownership.PatchMarksOf(group, name, manager),
		shard:       shard,
		childCache:  children,
		liveReader:  mgr.GetAPIReader(),
		client:      environment.ClientFor(mgr, name),
		events:      mgr.GetEventRecorder(name),
		convergence: newConvergence(environment.Control.Now),
		brake:       limiter,
		optional:    newOptionalKinds(discoverer, environment),
		lagging:     &lagging{parents: map[schema.GroupVersionKind]int{}, show: func(kind string, parents int) { environment.Metrics.SetLagging(name, kind, parents) }},
	}, nil
}

// newLoopOver returns the loop over the parents of one kind.
func newLoopOver(mgr manager.Manager, l loop, parentKind declared.ParentKind) (*loop, error) {
	var err error
	if l.parentKind, err = newKind(mgr, parentKind.Object); err != nil {
		return nil, err
	}
	if l.selector, err = newParentSelector(parentKind); err != nil {
		return nil, err
	}
	l.childCache.parents[l.parentKind.GroupKind()] = l.parentKind.namespaced
	if l.cache, err = l.addParentCache(mgr, l.environment); err != nil {
		return nil, err
	}
	l.parentSource = consistency.Source{Kind: l.parentKind.GroupVersionKind, Cache: l.cache, Empty: l.parentKind.cached}
	var served []kind
	for _, related := range l.definition.Related {
		kind, err := newRelatedKind(mgr, &l, related)
		if err != nil {
			return nil, err
		}
		if l.relatedKinds = append(l.relatedKinds, kind); kind.isServed() {
			served = append(served, kind.kind)
		}
	}
	for _, kind := range l.relatedKinds {
		if kind.OfChild == nil {
			continue
		}
		between, err := addMembers(mgr, &l, kind)
		if err != nil {
			return nil, err
		}
		if between != nil {
			l.relatedKinds = append(l.relatedKinds, between)
		}
	}
	if l.relatedOrder, err = orderRelated(l.relatedKinds); err != nil {
		return nil, err
	}
	if err := findStatuses(l.optional.discovery, served); err != nil {
		return nil, err
	}
	l.states, l.takeover, l.observations = newStates(), newTakeover(), new(process.Observations)
	l.slowCalls = newSlowCalls(l.workers(), func(parent types.NamespacedName) { l.queue.Add(ctrl.Request{NamespacedName: parent}) })
	l.status = status.Writer{Access: l.definition.Status, Client: l.client, LiveReader: l.liveReader, New: l.parentKind.newObject, Manager: l.manager}
	l.brake.AddParents(l.countParents)
	if err := l.addStatusMetrics(); err != nil {
		return nil, err
	}
	return &l, nil
}

// forever is how long a controller waits for the objects of its kinds: a right that the operator lacks
// may be granted at any time.
const forever = 10 * 365 * 24 * time.Hour

// watch has a parent reconciled when it, a child of it or an object that it reads changes.
func (l *loop) watch(mgr manager.Manager, name string) error {
	build := builder.ControllerManagedBy(mgr).Named(name).WatchesRawSource(source.Kind(l.cache, l.parentKind.cached, &handler.EnqueueRequestForObject{},
		l.shard.predicate(), l.cascadePredicate(), l.parentPredicate(), l.convergence.predicate(l.isParent, l.definition.Status.IsReady)))
	for _, child := range l.childKinds {
		if child.isServed() && child.isFirst() {
			build.WatchesRawSource(l.eventsOf(child))
		}
	}
	for _, kind := range l.relatedKinds {
		if !kind.isServed() {
			continue
		}
		for _, changes := range l.watchRelated(kind) {
			build.WatchesRawSource(changes)
		}
	}
	build.WatchesRawSource(source.Func(l.setQueue))
	limiter := newRetryLimiter()
	reconciler, options := l.newReconciler(build, controller.Options{
		MaxConcurrentReconciles: l.workers(),
		RateLimiter:             limiter,
		RecoverPanic:            ptr.To(true),
		LogConstructor:          l.newLogConstructor(mgr, name),
		CacheSyncTimeout:        forever,
		// process.Run checks names itself. The check of controller-runtime counts all managers
		// of a process, and tests run several.
		SkipNameValidation: ptr.To(true),
	})
	made, err := build.WithOptions(options).Build(countFailures(reconciler, limiter))
	l.controller = made
	return err
}

// newLogConstructor returns a function that makes the logger of a reconcile, which names the parent.
func (l *loop) newLogConstructor(mgr manager.Manager, name string) func(*ctrl.Request) logr.Logger {
	logger := mgr.GetLogger().WithValues("controller", name, "controllerGroup", l.parentKind.Group, "controllerKind", l.parentKind.Kind)
	return func(request *ctrl.Request) logr.Logger {
		if request == nil {
			return logger
		}
		return logger.WithValues("namespace", request.Namespace, "name", request.Name)
	}
}

// eventsOf returns the events of a kind of children, which have their parents reconciled.
func (l *loop) eventsOf(child *childKind) source.SyncingSource {
	enqueue := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []ctrl.Request { return l.requestsForChild(child, object) })
	return source.Kind[client.Object](l.childCache.Cache, child.cached, missingHandler{enqueue, l, child})
}

// worksOn reports whether a parent is of this loop's kind and lies where the operator works.
func (l *loop) worksOn(parent ownership.Parent) bool {
	return parent.Kind.GroupKind() == l.parentKind.GroupKind() && l.environment.WorksIn(parent.Name.Namespace)
}

// requestsForChild returns a request for the parent of a child, or of the copy of one.
func (l *loop) requestsForChild(kind *childKind, child client.Object) []ctrl.Request {
	parent, ok := l.childCache.markedParent(kind.GroupKind(), child)
	if !ok || !l.worksOn(parent) {
		return nil
	}
	l.noteLeaked(child, parent)
	return []ctrl.Request{{NamespacedName: parent.Name}}
}
