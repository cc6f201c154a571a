package reconcile

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// writer writes the parent, and removes children. It knows all that a reconcile has written, and what it
// has put off.
type writer struct {
	*subject
	names            []string                     // of what was written, for messages: children, and fields of the parent
	children         map[types.UID]client.Object  // as the writes left them
	patched          map[types.UID]client.Object  // related objects, likewise
	removed          map[types.UID]bool           // children that were deleted or orphaned, and related objects that were deleted
	evictions        map[apply.Key]backoff.Failed // those that a PodDisruptionBudget has refused
	changedMeanwhile bool                         // an answer shows a change of the parent that the reconcile has not seen
	metadataConflict *backoff.Conflict            // why the write of the parent's metadata is put off; nil when it is not
	statusConflict   *backoff.Conflict            // why the repair of its status is put off; nil when it is not
	statusRetry      time.Time                    // when fields of it are written again that the CRD does not know; zero: there are none
}

// recordParentWrite goes on with the parent as the API server answered a write of fields.
func (w *writer) recordParentWrite(answer client.Object, fields ...string) {
	w.names = append(w.names, fields...)
	w.changedMeanwhile = w.changedMeanwhile || hasOtherChanges(w.parent, answer)
	w.parent = answer
	if w.isDeleting() && len(answer.GetFinalizers()) == 0 {
		w.state.writes.RecordGone(&w.loop.parentSource, answer, w.now)
		return
	}
	w.state.writes.RecordWrite(&w.loop.parentSource, answer, w.now)
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
func (w *writer) recordChildWrite(kind *childKind, key string, object client.Object) {
	w.state.writes.RecordWrite(&kind.source, object, w.now)
	w.recordRelated(kind.GroupVersionKind, object, w.state.writes.RecordWrite)
	w.names = append(w.names, key)
	if w.children == nil {
		w.children = map[types.UID]client.Object{}
	}
	w.children[object.GetUID()] = object
}

// recordChildRemoval records that a child leaves the cache.
func (w *writer) recordChildRemoval(child child) {
	w.state.missing.expect(child.object.GetUID())
	w.state.writes.RecordDeletion(&child.source, child.object, w.now)
	w.recordRemoval(child.key(), child.object.GetUID())
}

// recordRemoval records that an object leaves what the parent sees.
func (w *writer) recordRemoval(key apply.Key, uid types.UID) {
	w.names = append(w.names, key.String())
	if w.removed == nil {
		w.removed = map[types.UID]bool{}
	}
	w.removed[uid] = true
}

// view returns the versions of what the reconcile leaves behind, as the next one sees them if
// nothing else changes.
func (w *writer) view(observed *observed) backoff.View {
	written, left := maps.Clone(w.children), []client.Object{}
	for _, objects := range slices.Concat(observed.children, observed.related) {
		for _, object := range objects {
			uid := object.GetUID()
			if w.removed[uid] {
				continue
			}
			if changed, ok := w.children[uid]; ok {
				object = changed
				delete(written, uid)
			} else if changed, ok := w.patched[uid]; ok {
				object = changed
			}
			left = append(left, object)
		}
	}
	left = slices.AppendSeq(left, maps.Values(written))
	return backoff.View{Objects: sumVersions([][]client.Object{left}), Parent: w.parent.GetResourceVersion(), Triggers: w.triggers}
}
