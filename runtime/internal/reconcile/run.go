package reconcile

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// run is one reconcile of one parent. The steps hand their results on as values; run holds
// what all of them need, and what they have written.
type run struct {
	loop   *loop
	state  *state
	parent client.Object // its fields may be set; what is in them is the cache's own
	now    time.Time
	test   *testcontrol.Reconcile // records the reconcile for a test; nil without one

	seen             backoff.View      // what the reconcile saw
	writes           writes            // what it has written
	desiredHash      uint64            // of the children that Sync desires
	requestToken     string            // of a user who requests that every child is written; empty: nobody does
	isUnwritten      bool              // a child is not written for that request yet
	changedMeanwhile bool              // the parent has changed since; another reconcile is due
	metadataConflict *backoff.Conflict // why the write of the parent's metadata is put off; nil when it is not
	statusConflict   *backoff.Conflict // why the repair of its status is put off; nil when it is not
	prunesAll        bool              // no prune is held, and none waits for an apply
	heldPrunes       string            // which prunes are held, and how a person releases them; empty: none
	cleanupErr       error             // of the cleanup of leaked children
	marksErr         error             // of children whose marks somebody keeps removing
	hasRoom          bool              // for a slow call
	wasSlow          bool              // a call of the author's code
	reads            []atomic.Bool     // by kind of children: whether the author's code has looked at its snapshot
}

// readsOf returns what is set when the author's code looks at the snapshot of a kind.
func (r *run) readsOf(kind *childKind) *atomic.Bool {
	if r.reads == nil {
		r.reads = make([]atomic.Bool, len(r.loop.definition.Children))
	}
	return &r.reads[kind.index]
}

// writes is what a reconcile has written.
type writes struct {
	names    []string                    // for messages: children, and fields of the parent
	children map[types.UID]client.Object // as the writes left them
	removed  map[types.UID]bool          // children that were deleted or orphaned
}

func (r *run) isDeleting() bool { return r.parent.GetDeletionTimestamp() != nil }

// isFinalizing reports whether the parent's children are to go: the parent is being deleted,
// or is not selected any more.
func (r *run) isFinalizing() bool { return r.isDeleting() || !r.loop.selector.matches(r.parent) }

func (r *run) name() types.NamespacedName { return client.ObjectKeyFromObject(r.parent) }

// owner returns the parent as its children refer to it.
func (r *run) owner() ownership.Parent {
	return ownership.Parent{Kind: r.loop.parentKind.GroupVersionKind, Name: r.name(), UID: r.parent.GetUID()}
}

// checkUnchanged reads the parent live and returns a stale error if it has changed since it was read
// from the cache.
func (r *run) checkUnchanged(ctx context.Context) error {
	current := r.loop.parentKind.newObject()
	err := r.loop.liveReader.Get(ctx, r.name(), current)
	if apierrors.IsNotFound(err) || err == nil && (current.GetUID() != r.parent.GetUID() || current.GetResourceVersion() != r.parent.GetResourceVersion()) {
		return errParentChanged
	}
	return err
}

// recordParentWrite goes on with the parent as the API server answered a write of fields.
func (r *run) recordParentWrite(answer client.Object, fields ...string) {
	r.writes.names = append(r.writes.names, fields...)
	r.changedMeanwhile = r.changedMeanwhile || hasOtherChanges(r.parent, answer)
	r.parent = answer
	if r.isDeleting() && len(answer.GetFinalizers()) == 0 {
		r.state.writes.RecordGone(&r.loop.parentSource, answer, r.now)
		return
	}
	r.state.writes.RecordWrite(&r.loop.parentSource, answer, r.now)
}

// hasOtherChanges reports whether the answer to a write holds a change of someone else's,
// which the reconcile has not seen.
func hasOtherChanges(seen, answer client.Object) bool {
	return seen.GetGeneration() != answer.GetGeneration() ||
		!seen.GetDeletionTimestamp().Equal(answer.GetDeletionTimestamp()) ||
		!maps.Equal(seen.GetLabels(), answer.GetLabels()) ||
		!maps.Equal(seen.GetAnnotations(), answer.GetAnnotations())
}

// recordChildWrite records a child as a write left it.
func (r *run) recordChildWrite(kind *childKind, key string, object client.Object) {
	r.state.writes.RecordWrite(&kind.source, object, r.now)
	r.recordRelatedWrite(kind, object)
	r.writes.names = append(r.writes.names, key)
	if r.writes.children == nil {
		r.writes.children = map[types.UID]client.Object{}
	}
	r.writes.children[object.GetUID()] = object
}

// recordChildRemoval records that a child leaves the cache.
func (r *run) recordChildRemoval(child child) {
	r.writes.names = append(r.writes.names, child.key().String())
	r.state.missing.expect(child.object.GetUID())
	r.state.writes.RecordDeletion(&child.source, child.object, r.now)
	if r.writes.removed == nil {
		r.writes.removed = map[types.UID]bool{}
	}
	r.writes.removed[child.object.GetUID()] = true
}

// view returns the versions of what the reconcile leaves behind, as the next one sees them if
// nothing else changes.
func (r *run) view(observed *observed) backoff.View {
	written, left := maps.Clone(r.writes.children), []client.Object{}
	for _, objects := range slices.Concat(observed.children, observed.related) {
		for _, object := range objects {
			uid := object.GetUID()
			if r.writes.removed[uid] {
				continue
			}
			if changed, ok := r.writes.children[uid]; ok {
				object = changed
				delete(written, uid)
			}
			left = append(left, object)
		}
	}
	left = slices.AppendSeq(left, maps.Values(written))
	return backoff.View{Objects: sumVersions([][]client.Object{left}), Parent: r.parent.GetResourceVersion()}
}
