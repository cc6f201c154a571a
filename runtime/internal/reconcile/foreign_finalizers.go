package reconcile

import (
	"context"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// A parent may have finalizers of others. One that an operator has left which does not run any more keeps a deleted
// parent for ever. Nothing tells it from one whose operator runs, and whoever removes it skips what it is for. So the
// runtime says what it sees: at a takeover, and while such finalizers alone keep a deleted parent.

// awaitedFor is how long a deleted parent may wait for finalizers of others before an Event says so.
const awaitedFor = time.Minute

// foreignFinalizers returns the finalizers of the parent that neither this operator nor the garbage collector removes.
func (s *subject) foreignFinalizers() []string {
	known := []string{s.loop.finalizer, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	isKnown := func(finalizer string) bool { return slices.Contains(known, finalizer) }
	return slices.DeleteFunc(slices.Clone(s.parent.GetFinalizers()), isKnown)
}

// awaitFinalizers says for which finalizers of others a deleted parent waits, from which this operator has nothing to
// remove. A parent whose status belongs to others is theirs to explain.
func (r *run) awaitFinalizers(ctx context.Context) (ctrl.Result, error) {
	awaited := r.foreignFinalizers()
	if len(awaited) == 0 || r.loop.definition.Status == nil || r.findSuspension() != nil || !r.loop.selector.matches(r.parent) {
		return ctrl.Result{}, nil
	}
	text := truncateText("is being deleted, and waits for the finalizers of others: " + strings.Join(awaited, ", ") +
		"; if their operator does not run any more, remove them by hand")
	err := r.writer.writeStatus(ctx, new(declared.Response), notReady(status.Reconciling, status.ReasonFinalizing, text), nil)
	left := awaitedFor - r.now.Sub(r.parent.GetDeletionTimestamp().Time)
	switch {
	case isStale(err):
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	case err != nil || left > 0:
		return ctrl.Result{RequeueAfter: left}, err
	}
	r.warn(ctx, status.ReasonFinalizing, text)
	return ctrl.Result{}, nil
}

// warnAboutFieldsOfOthers says what another operator may have left in a parent whose children are taken over.
func (r *restorer) warnAboutFieldsOfOthers(ctx context.Context) error {
	current := r.loop.parentKind.newObject()
	if len(r.loop.definition.TakeOverFrom) > 0 { // the cache has no other field managers
		if err := r.loop.liveReader.Get(ctx, r.name(), current); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	var left []string
	for _, entry := range current.GetManagedFields() {
		if !slices.Contains(r.loop.definition.TakeOverFrom, entry.Manager) || !managedfields.IsEntryOf(entry, entry.Manager) {
			continue
		}
		for path := range managedfields.Parse(entry.FieldsV1.GetRawBytes()).Leaves().All() {
			if text := path.String(); strings.HasPrefix(text, ".metadata.") {
				left = append(left, text+" of "+entry.Manager)
			}
		}
	}
	if len(left) > 0 {
		r.warn(ctx, reasonTakenOver, "has fields of the operator that was replaced, which nobody manages any more: "+joinSome(left))
	}
	if finalizers := r.foreignFinalizers(); len(finalizers) > 0 {
		r.warn(ctx, reasonTakenOver, "has the finalizers of others "+strings.Join(finalizers, ", ")+
			": if the operator that was replaced has set them, remove them, or the parent stays for ever once it is deleted")
	}
	return nil
}
