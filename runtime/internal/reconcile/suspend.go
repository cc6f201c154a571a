package reconcile

import (
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

// findSuspension returns the condition of a parent that a user has suspended, nil for any
// other. The conditions of the last reconcile before stay beside it.
func findSuspension(r *run) *metav1.Condition {
	annotations, group := r.parent.GetAnnotations(), r.loop.definition.Group
	switch {
	case annotations[group+disconnectKey] == "true":
		return &metav1.Condition{Type: status.Suspended, Status: metav1.ConditionTrue, Reason: "Disconnected",
			Message: "its children are orphaned while the annotation " + group + disconnectKey + " is set"}
	case annotations[group+pauseKey] == "true":
		return &metav1.Condition{Type: status.Suspended, Status: metav1.ConditionTrue, Reason: "Paused",
			Message: "its children are not written while the annotation " + group + pauseKey + " is set"}
	}
	return nil
}

// suspendParent reconciles a suspended parent without a call of Sync.
func suspendParent(ctx context.Context, r *run, observed *observed, suspension metav1.Condition) (ctrl.Result, error) {
	isStale := false
	if suspension.Reason == "Disconnected" {
		var err error
		if isStale, err = disconnectParent(ctx, r, observed); err != nil {
			return ctrl.Result{}, err
		}
	}
	isGone := r.isDeleting() && len(r.parent.GetFinalizers()) == 0 // with the last finalizer
	if !isStale && !isGone {
		result, err := r.loop.status.WriteCondition(ctx, &r.state.status, r.parent, suspension, r.now)
		recordStatusWrite(ctx, r, result)
		if err != nil {
			return ctrl.Result{}, err
		}
		isStale = result.Stale
	}
	if isStale {
		return ctrl.Result{RequeueAfter: backoff.Stale}, nil
	}
	r.state.failures, r.state.applied = backoff.Failures{}, apply.AppliedState{}
	return ctrl.Result{RequeueAfter: nextRequeue(r, 0, nil)}, nil
}

// disconnectParent orphans the children, and lets the parent go without them. An annotation on each
// lets the same parent take it back when it is connected again.
func disconnectParent(ctx context.Context, r *run, observed *observed) (isStale bool, err error) {
	former := map[string]string{r.loop.childCache.keys.FormerParent: string(r.parent.GetUID())}
	for _, child := range observed.all() {
		switch orphaned := orphanWith(ctx, r, child, former); {
		case errors.As(orphaned, new(apply.ErrStale)):
			isStale = true
		case orphaned != nil:
			err = errors.Join(err, errChild{key: child.key(), err: orphaned})
		}
	}
	if isStale || err != nil {
		return isStale, err
	}
	return removeFinalizer(ctx, r)
}

// wasDisconnected reports whether an object was a child of this parent when a user disconnected the
// parent. Only the annotation that this controller has written to this object counts, and only
// while nothing else controls the object.
func wasDisconnected(r *run, conflict apply.ErrNameConflict) bool {
	object, key := conflict.Object, r.loop.childCache.keys.FormerParent
	if conflict.Holder != "" || object.GetDeletionTimestamp() != nil || object.GetAnnotations()[key] != string(r.parent.GetUID()) {
		return false
	}
	written, isOurs := apply.MetadataWrittenAt(object, r.loop.manager, "annotations", key)
	return isOurs && !written.Before(object.GetCreationTimestamp().Time)
}
