package reconcile

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// run is one reconcile of one parent. Its methods are the steps in the table of the package. They hand
// their results on as values; what is kept beyond a step belongs to one of the parts.
type run struct {
	*subject
	test     *testcontrol.Reconcile // records the reconcile for a test, if one runs the operator
	calls    *caller
	planner  *planner
	writer   *writer
	restorer *restorer
	request  *writeRequest

	seen        backoff.View    // what the reconcile saw
	desiredHash uint64          // of the children that Sync desires
	cleanupErr  error           // of the cleanup of leaked children
	deletions   []relatedObject // that the author's code deletes
	patches     patchPlan       // of related objects
}

// newRun returns a reconcile of a parent that was read from the cache.
func (l *loop) newRun(parent client.Object) *run {
	l.endState(client.ObjectKeyFromObject(parent), parent.GetUID())
	s := &subject{loop: l, state: l.states.getOrAdd(client.ObjectKeyFromObject(parent), parent.GetUID()), parent: parent, now: l.now()}
	s.triggers = s.state.triggers.Load()
	calls, writer, request := &caller{subject: s}, &writer{subject: s}, &writeRequest{subject: s}
	return &run{
		subject: s, calls: calls, writer: writer, request: request,
		planner:  &planner{s, request},
		restorer: &restorer{subject: s, calls: calls, writer: writer},
	}
}

// subject is the parent that a reconcile is about. All parts of the reconcile know it, and the writer
// replaces the object by what the API server answers.
type subject struct {
	loop   *loop
	state  *state
	parent client.Object // its fields may be set; what is in them is the cache's own
	now    time.Time

	triggers uint64 // of the state, when the reconcile began
}

func (s *subject) isDeleting() bool { return s.parent.GetDeletionTimestamp() != nil }

// isFinalizing reports whether the parent's children are to go: the parent is being deleted,
// or is not selected any more.
func (s *subject) isFinalizing() bool { return s.isDeleting() || !s.loop.selector.matches(s.parent) }

func (s *subject) name() types.NamespacedName { return client.ObjectKeyFromObject(s.parent) }

// owner returns the parent as its children refer to it.
func (s *subject) owner() ownership.Parent {
	return ownership.Parent{Kind: s.loop.parentKind.GroupVersionKind, Name: s.name(), UID: s.parent.GetUID()}
}

// checkUnchanged reads the parent live and returns a stale error if it has changed since it was read
// from the cache.
func (s *subject) checkUnchanged(ctx context.Context) error {
	current := s.loop.parentKind.newObject()
	err := s.loop.liveReader.Get(ctx, s.name(), current)
	if apierrors.IsNotFound(err) || err == nil && (current.GetUID() != s.parent.GetUID() || current.GetResourceVersion() != s.parent.GetResourceVersion()) {
		return errParentChanged
	}
	return err
}
