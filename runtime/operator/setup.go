package operator

import (
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// loop is what a controller's passes need, whatever the types of its parent.
type loop struct {
	name      string
	group     string
	finalizer string
	manager   string // the field manager of all writes
	watched   string // the only namespace that the cache holds; empty for all
	parent    kind
	children  []kind

	cache   client.Reader
	live    client.Reader
	client  client.Client
	events  events.EventRecorder
	metrics instruments
	states  *states
	now     func() time.Time
}

// setUp registers a definition's types, checks that the API server knows its
// kinds, and adds its controller to the manager.
func setUp[P client.Object, S, C, D any](mgr Manager, options Options, definition Definition[P, S, C, D]) error {
	if err := definition.Schemes.AddToScheme(mgr.GetScheme()); err != nil {
		return err
	}
	loop, err := newLoop(mgr, options, definition.Name, definition.Group, definition.Parent)
	if err != nil {
		return err
	}
	reconciler := &reconciler[P, S, C, D]{loop: loop, definition: definition}
	for _, described := range reconciler.kinds(new(C), new(D)) {
		if err := loop.addKind(mgr, described); err != nil {
			return err
		}
	}
	build := builder.ControllerManagedBy(mgr).Named(definition.Name).For(definition.Parent)
	for _, child := range loop.children {
		build.Owns(child.empty)
	}
	return build.WithOptions(controller.Options{
		MaxConcurrentReconciles: options.Workers,
		// Run checks names itself; controller-runtime's check counts all the
		// managers of a process, and tests run several.
		SkipNameValidation: ptr.To(true),
	}).Complete(reconciler)
}

func newLoop(mgr Manager, options Options, name, group string, parent client.Object) (*loop, error) {
	known, err := newKind(mgr, parent)
	if err != nil {
		return nil, err
	}
	instruments, err := newInstruments(metrics.Registry)
	if err != nil {
		return nil, err
	}
	return &loop{
		name:      name,
		group:     group,
		finalizer: group + "/finalizer",
		manager:   apply.FieldManager(name, group),
		watched:   options.Namespace,
		parent:    known,
		cache:     mgr.GetCache(),
		live:      mgr.GetAPIReader(),
		client:    mgr.GetClient(),
		events:    mgr.GetEventRecorder(name),
		metrics:   instruments,
		states:    newStates(),
		now:       time.Now,
	}, nil
}
