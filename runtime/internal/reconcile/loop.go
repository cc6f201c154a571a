package reconcile

import (
	"cmp"
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/brake"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// loop reconciles the parents of one kind. It is the same for each reconcile.
type loop struct {
	definition  Definition
	environment *process.Environment
	finalizer   string
	manager     string // the field manager of all writes but patches
	patchMarks  ownership.PatchMarks

	parentKind   kind
	selector     parentSelector
	shard        shard
	parentSource consistency.Source // shows writes of parents
	childKinds   []*childKind
	optional     *optionalKinds
	childCache   *childCache
	relatedKinds []*relatedKind
	relatedOrder []int // in which their objects are read

	cache      cache.Cache   // of parents
	liveReader client.Reader // reads from the API server
	client     client.Client
	events     events.EventRecorder
	status     status.Writer

	states      *states
	takeover    *takeover
	slowCalls   *slowCalls
	lagging     *lagging
	convergence *convergence

	observations *process.Observations // what an operator with --observe would have written

	controller controller.Controller

	statusMetrics *statusMetrics // nil: there are none

	brake *brake.Brake                                       // of the controller
	queue workqueue.TypedRateLimitingInterface[ctrl.Request] // nil until the controller starts
}

// workers returns how many parents are reconciled at once.
func (l *loop) workers() int { return cmp.Or(l.definition.Workers, l.environment.Workers) }

func (l *loop) now() time.Time { return l.environment.Control.Now() }

// policiesOf returns the policies of a child: the deletion policies that options set for it, which it
// carries, and those of its kind. What somebody else has written on the child does not count.
func (l *loop) policiesOf(child child) declared.Policies {
	text := child.object.GetAnnotations()[l.childCache.keys.WhenRemoved]
	if text == "" || !managedfields.MayHaveAnnotated(child.object, l.manager, l.childCache.keys.WhenRemoved) {
		return child.Policies
	}
	return declared.ParseDeletionText(text).Or(child.Policies)
}

// setQueue is called with the work queue when the controller starts. ctx ends when it stops.
func (l *loop) setQueue(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	l.queue = queue
	if l.statusMetrics != nil {
		l.statusMetrics.works.Store(true)
	}
	l.optional.addQueue(l, queue)
	for _, source := range l.environment.Sources {
		source.Attach(ctx, process.Receiver{
			Reconcile: l.reconcileTriggered, Now: l.now, CountAbandoned: func() { l.environment.Metrics.CountAbandoned(l.definition.Name) },
		})
	}
	return nil
}

// reconcileTriggered has a parent reconciled that something outside of the cluster names. It counts as
// a change, so that no backoff delays it.
func (l *loop) reconcileTriggered(name types.NamespacedName) {
	if state := l.states.get(name); state != nil {
		state.triggers.Add(1)
	}
	l.queue.Add(ctrl.Request{NamespacedName: name})
}

// forget drops what is remembered of a parent that is gone.
func (l *loop) forget(name client.ObjectKey) {
	l.endState(name, "")
	l.states.forget(name)
	l.endTakeover(name)
	l.brake.Forget(l.brakeKey(name))
	l.forgetRelated(name)
	for _, source := range l.environment.Sources {
		source.Forget(l.parentKind.empty, name)
	}
}

// endState ends what counts a parent of this name, unless it has the UID.
func (l *loop) endState(name client.ObjectKey, unless types.UID) {
	if state := l.states.get(name); state != nil && state.uid != unless {
		l.lagging.end(&state.lag)
	}
}

// forgetRelated drops what a parent reads of related objects.
func (l *loop) forgetRelated(name client.ObjectKey) {
	for _, kind := range l.relatedKinds {
		kind.release(name)
	}
}
