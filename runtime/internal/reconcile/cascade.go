package reconcile

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// A user who deletes a parent with --cascade=orphan keeps all of its children. The API server puts
// a finalizer on the parent, and the garbage collector takes it off as soon as the owner references
// are gone, whether the operator has seen it or not. Three things show it to the operator:
//
//   - an event of the parent with that finalizer, noted when it arrives
//   - a child of this parent without the owner reference that the operator wrote
//   - the record of an earlier reconcile
//
// The first two pass, so the operator records what they show before it removes anything.

// orphaningKey is the record that the parent was deleted with --cascade=orphan, below the API group
// of the parent.
const orphaningKey = "/orphaning"

// cascadePredicate passes every event. It notes how parents are deleted that wait for this operator:
// the garbage collector may be done, and have taken its finalizer off, before a worker is free.
func (l *loop) cascadePredicate() predicate.Predicate {
	note := func(parent client.Object) bool {
		isOrphaning, isForeground := isDeletedWithOrphan(parent), isDeletedInForeground(parent)
		if (isOrphaning || isForeground) && controllerutil.ContainsFinalizer(parent, l.finalizer) {
			state := l.states.getOrAdd(client.ObjectKeyFromObject(parent), parent.GetUID())
			if isOrphaning {
				state.isOrphaning.Store(true)
			}
			if isForeground {
				state.isForeground.Store(true)
			}
		}
		return true
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return note(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool { return note(e.ObjectNew) },
	}
}

func isDeletedWithOrphan(parent client.Object) bool {
	return parent.GetDeletionTimestamp() != nil && controllerutil.ContainsFinalizer(parent, metav1.FinalizerOrphanDependents)
}

func isDeletedInForeground(parent client.Object) bool {
	return parent.GetDeletionTimestamp() != nil && controllerutil.ContainsFinalizer(parent, metav1.FinalizerDeleteDependents)
}

// noteOrphaning finds out whether every child of a parent that is deleted is to stay, and records
// it on the parent. It does so whatever else the reconcile does: a parent may be paused, or wait for
// a Sync that still runs, for longer than this process lives.
func (r *run) noteOrphaning(ctx context.Context) (err error) {
	if !r.isDeleting() {
		return nil
	}
	isOrphaning := r.state.isOrphaning.Load() || isDeletedWithOrphan(r.parent)
	if !isOrphaning {
		if isOrphaning, err = r.hasLostReference(); err != nil {
			return err
		}
	}
	if !isOrphaning {
		return nil
	}
	r.state.isOrphaning.Store(true)
	if err := r.writer.addRecord(ctx, orphaningKey); err != nil {
		return fmt.Errorf("record that the children are orphaned: %w", err)
	}
	return nil
}

// isOrphaning reports whether every child of the parent is to stay, since the parent is deleted
// with --cascade=orphan.
func (s *subject) isOrphaning() bool {
	return s.isDeleting() && (s.state.isOrphaning.Load() || s.hasRecord(orphaningKey))
}

// hasLostReference reports whether a child of the parent has lost its owner reference. Only this
// operator may have written the label by which the child is known, in the namespace of the parent. A
// child that gets no owner reference has lost none: somebody has taken its annotation off.
func (s *subject) hasLostReference() (bool, error) {
	for _, kind := range s.loop.childKinds {
		if !kind.isServed() {
			continue
		}
		unowned, err := kind.listByParent(lostPrefix + string(s.parent.GetUID()))
		if err != nil {
			return false, err
		}
		for _, object := range unowned {
			unownedChild := kind.newChild(object)
			hadReference := s.getsOwnerReference(kind, unownedChild.name, s.loop.policiesOf(unownedChild).WhenDeleted)
			if hadReference && s.loop.childCache.keys.HasWrittenLabel(object, s.loop.manager) {
				return true, nil
			}
		}
	}
	return false, nil
}

// isCollectedFirst reports whether the garbage collector deletes a child before its parent goes, which
// the user has deleted with --cascade=foreground. It does so by the owner reference, whatever becomes
// of the other marks.
func (s *subject) isCollectedFirst(child child) bool {
	isForeground := s.state.isForeground.Load() || isDeletedInForeground(s.parent)
	return isForeground && ownership.HasOwnerReference(child.object, s.parent.GetUID())
}

// bindChildren gives a living parent the finalizer while it has a child of a kind that forbids a disconnect, also one
// that an earlier release made with an owner reference. A deletion with --cascade=orphan would cut that, and leave the
// child.
func (r *run) bindChildren(ctx context.Context, observed *observed) error {
	for i, kind := range observed.kinds {
		if kind.ForbidDisconnect && len(observed.children[i]) > 0 && !r.isFinalizing() {
			return r.writer.addFinalizer(ctx)
		}
	}
	return nil
}
