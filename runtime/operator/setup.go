package operator

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/passes"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// loop is what the passes over one kind of parents need, whatever their type.
type loop struct {
	name      string
	group     string
	finalizer string
	manager   string // the field manager of all writes
	watched   string // the only namespace that the caches hold; empty for all
	ordered   bool   // children of a deleted parent go in order

	parent    kind
	selects   parentSelector
	share     share
	children  []*childKind
	absent    []bool // of the kinds of the definition, those that are not among children
	offspring *offspring
	related   []*relatedKind
	written   consistency.Source // where writes of parents are seen

	cache       client.Reader // of parents and related objects
	live        client.Reader
	client      client.Client
	events      events.EventRecorder
	metrics     process.Metrics
	states      *states
	environment *process.Environment
	now         func() time.Time
	test        *passes.Control // that runs the operator; nil where none does

	arrivals     *arrivals
	hasConverged func(client.Object) bool // as the status says
}

// NewController makes a controller from its definition.
func NewController[P client.Object, S, C, D, R any](definition Definition[P, S, C, D, R]) Controller {
	return process.NewController(definition.Name, definition.Project, func(mgr Manager, environment *process.Environment) error {
		return setUp(mgr, environment, definition)
	})
}

// setUp registers a definition's types, checks that the API server knows its
// kinds, and adds a controller for each kind of parents to the manager.
func setUp[P client.Object, S, C, D, R any](mgr Manager, environment *process.Environment, definition Definition[P, S, C, D, R]) error {
	if err := definition.Schemes.AddToScheme(mgr.GetScheme()); err != nil {
		return err
	}
	shared, err := newLoop(mgr, environment, definition.Name, definition.Group)
	if err != nil {
		return err
	}
	shared.ordered = definition.Teardown == TeardownOrdered
	reconciler := reconciler[P, S, C, D, R]{loop: shared, definition: definition}
	shared.hasConverged = reconciler.hasConverged
	described := reconciler.kinds(new(C), new(D))
	shared.absent = make([]bool, len(described))
	for i, described := range described {
		child, err := shared.offspring.add(mgr, described, shared.manager)
		if unknown, ok := errors.AsType[errNotServed](err); ok && described.Retired {
			shared.absent[i] = true
			mgr.GetLogger().Info("nothing to prune of a retired kind: the API server does not know it", "controller", definition.Name, "kind", unknown.String())
			continue
		}
		if err != nil {
			return err
		}
		shared.children = append(shared.children, child)
	}
	for _, described := range definition.Parents {
		loop, err := shared.forParents(mgr, described, reconciler.relatedKinds(new(R)))
		if err != nil {
			return err
		}
		reconciler := reconciler
		reconciler.loop = loop
		name := definition.Name
		if len(definition.Parents) > 1 {
			name += "-" + loop.parent.Kind
		}
		if err := loop.watch(mgr, name, reconciler.pass); err != nil {
			return err
		}
	}
	return nil
}

func newLoop(mgr Manager, environment *process.Environment, name, group string) (*loop, error) {
	share, err := newShare(environment.ParentSelector)
	if err != nil {
		return nil, err
	}
	offspring, err := newOffspring(mgr, environment, name, ownership.KeysOf(group, name))
	if err != nil {
		return nil, err
	}
	return &loop{
		environment: environment,
		name:        name,
		group:       group,
		finalizer:   group + "/finalizer",
		manager:     apply.FieldManager(name, group),
		watched:     environment.Namespace,
		share:       share,
		offspring:   offspring,
		cache:       mgr.GetCache(),
		live:        mgr.GetAPIReader(),
		client:      mgr.GetClient(),
		events:      mgr.GetEventRecorder(name),
		metrics:     environment.Metrics,
		now:         environment.Control.Now,
		test:        environment.Control,
		arrivals:    newArrivals(environment.Control.Now),
	}, nil
}

// forParents is the loop over the parents of one kind.
func (l loop) forParents(mgr Manager, described ParentKind, related []RelatedKind) (*loop, error) {
	var err error
	if l.parent, err = newKind(mgr, described.Object); err != nil {
		return nil, err
	}
	if l.selects, err = newParentSelector(described); err != nil {
		return nil, err
	}
	l.offspring.parents[l.parent.GroupKind()] = l.parent.namespaced
	l.written = consistency.Source{Kind: l.parent.GroupVersionKind, Cache: l.cache, Empty: l.parent.cached}
	l.related = nil
	for _, described := range related {
		kind, err := newRelatedKind(mgr, described)
		if err != nil {
			return nil, err
		}
		l.related = append(l.related, kind)
	}
	l.states = newStates()
	return &l, l.fill(mgr)
}

// fill has the manager fill the caches of parents and related objects with those
// of children, before a controller starts: a start waits once for all of them,
// and a replica that takes over has them full.
func (l *loop) fill(mgr Manager) error {
	read := []client.Object{l.parent.cached}
	for _, kind := range l.related {
		read = append(read, kind.cached)
	}
	for _, object := range read {
		if _, err := mgr.GetCache().GetInformer(context.Background(), object, cache.BlockUntilSynced(false)); err != nil {
			return err
		}
	}
	return nil
}

// watch has a pass look at a parent when it, a child of it or an object
// that it reads changes.
func (l *loop) watch(mgr Manager, name string, run passes.Run) error {
	build := builder.ControllerManagedBy(mgr).Named(name).For(l.parent.empty, builder.WithPredicates(l.share.events(), l.parentEvents(), l.arrivals.watch(l.isOurs, l.hasConverged)))
	for _, child := range l.children {
		build.WatchesRawSource(source.Kind(l.offspring.Cache, child.cached, handler.EnqueueRequestsFromMapFunc(l.parentOf)))
	}
	for _, kind := range l.related {
		build.Watches(kind.cached, handler.EnqueueRequestsFromMapFunc(kind.readers), builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
	}
	reconciler, settings := l.control(build, l.environment.Control, run, controller.Options{
		MaxConcurrentReconciles: l.environment.Workers,
		// Run checks names itself; controller-runtime's check counts all the
		// managers of a process, and tests run several.
		SkipNameValidation: ptr.To(true),
	})
	return build.WithOptions(settings).Complete(reconciler)
}

// parentOf maps a child to its parent, if that is of this loop's kind and lies
// where the operator works.
func (l *loop) parentOf(_ context.Context, child client.Object) []reconcile.Request {
	parent, ok := l.offspring.parentOf(child)
	if !ok || parent.Kind.GroupKind() != (schema.GroupKind{Group: l.parent.Group, Kind: l.parent.Kind}) {
		return nil
	}
	if within := parent.Name.Namespace; l.watched != "" && within != "" && within != l.watched {
		return nil
	}
	l.suspect(child, parent)
	return []reconcile.Request{{NamespacedName: parent.Name}}
}
