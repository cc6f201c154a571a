package reconcile

import (
	"cmp"
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// The annotations, below the API group of the parent, by which users suspend a parent while
// their value is "true".
const (
	pauseKey      = "/paused"     // its children are not written, and it is not finalized
	disconnectKey = "/disconnect" // its children are orphaned, and stay as they are
)

// reasonDisconnected is the reason of Suspended while a parent is disconnected.
const reasonDisconnected = "Disconnected"

// findSuspension returns the condition of a parent that a user has suspended, nil for any
// other, and where the definition forbids it. The conditions of the last reconcile before stay beside it.
func (s *subject) findSuspension() *metav1.Condition {
	definition := &s.loop.definition
	annotations, group := s.parent.GetAnnotations(), definition.Group
	switch {
	case annotations[group+disconnectKey] == "true" && !definition.ForbidDisconnect:
		return &metav1.Condition{Type: status.Suspended, Status: metav1.ConditionTrue, Reason: reasonDisconnected,
			Message: "its children are orphaned while the annotation " + group + disconnectKey + " is set"}
	case annotations[group+pauseKey] == "true" && !definition.ForbidPause:
		return &metav1.Condition{Type: status.Suspended, Status: metav1.ConditionTrue, Reason: "Paused",
			Message: "its children are not written while the annotation " + group + pauseKey + " is set"}
	}
	return nil
}

// suspendParent reconciles a suspended parent without a call of Sync.
func (r *run) suspendParent(ctx context.Context, observed *observed, suspension metav1.Condition) (ctrl.Result, error) {
	var err error
	if suspension.Reason == reasonDisconnected {
		if !r.state.isDisconnected {
			err = r.restorer.takeBack(ctx, observed)
		}
		if err == nil && r.isDeleting() {
			err = r.restorer.restoreBeforeCall(ctx, observed, nil)
		}
		if r.state.isDisconnected = err == nil; err == nil {
			err = r.disconnectParent(ctx, observed)
		}
	}
	isGone := r.isDeleting() && len(r.parent.GetFinalizers()) == 0 // with the last finalizer
	if err == nil && !isGone {
		result, refused := r.loop.status.WriteCondition(ctx, &r.state.status, r.parent, suspension, r.now)
		err = r.writer.recordStatusWrite(ctx, result, refused)
	}
	switch {
	case isStale(err):
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	r.state.failures, r.state.applied, r.state.patches = backoff.Failures{}, apply.AppliedState{}, apply.AppliedState{}
	return ctrl.Result{RequeueAfter: report{statusConflict: r.writer.statusConflict}.nextRequeue(r.now, 0)}, nil
}

// disconnectParent orphans the children, leaves patched fields as they are, and lets the parent go without them. An annotation on each
// lets the same parent take it back when it is connected again. Children of kinds that forbid it
// stay the parent's: the finalizer stays for them, and they go with the parent.
func (r *run) disconnectParent(ctx context.Context, all *observed) error {
	patched, err := r.observePatched(all)
	if err == nil {
		err = r.releasePatches(ctx, patched)
	}
	if err != nil {
		return err
	}
	orphaned, kept := all.splitDisconnected()
	keys := r.loop.childCache.keys
	var stale, failures error // the failures are shown, whatever else is stale
	for _, child := range orphaned.all() {
		former := map[string]string{keys.FormerParent: string(r.parent.GetUID())}
		for _, key := range []string{keys.Adopted, keys.Generated, keys.ListedAs, keys.WhenRemoved} { // they count when the child is taken back
			if record, ok := child.object.GetAnnotations()[key]; ok {
				former[key] = record
			}
		}
		switch err := r.writer.orphanWith(ctx, child, former); {
		case isStale(err):
			stale = err
		case err != nil:
			failures = errors.Join(failures, errChild{key: child.key(), err: err})
		}
	}
	if err := cmp.Or(failures, stale); err != nil {
		return err
	}
	isDone := len(kept.all()) == 0 && r.loop.checkHidden() == nil
	if r.isDeleting() {
		var err error
		if isDone, err = r.removeAllChildren(ctx, kept); err != nil {
			return err
		}
	}
	if !isDone {
		return nil
	}
	return r.writer.removeFinalizer(ctx)
}

// splitDisconnected returns the children that a disconnect orphans, and those that it keeps.
func (all *observed) splitDisconnected() (orphaned, kept *observed) {
	orphaned, kept = &observed{}, &observed{}
	for i, kind := range all.kinds {
		part := orphaned
		if kind.ForbidDisconnect {
			part = kept
		}
		part.kinds, part.children = append(part.kinds, kind), append(part.children, all.children[i])
	}
	return orphaned, kept
}
