package reconcile

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// Leaked children are children without an owner reference whose parent went without the
// operator, since somebody removed its finalizer. The garbage collector deletes those with a
// reference. The operator cleans up the others: it deletes them, or orphans those that are to
// outlive their parent.
//
// In two cases nobody can tell which operator a leaked child belongs to, and it stays:
//
//   - The operator works on a shard of the parents. A parent that is gone has no labels, and
//     may have been another operator's, which decides by its own policies.
//   - The operator works in one namespace and the parent lay in another. That parent is
//     another operator's, even if it is gone; see [loop.requestsForChild].
//
// A child that does not look exactly as this controller has left it is not leaked either; see
// [isLeaked].

// noteLeaked notes a child whose parent may have been an earlier one of the same name.
func (l *loop) noteLeaked(child client.Object, parent ownership.Parent) {
	if l.childCache.keys.ParentName(child) == "" {
		return
	}
	if state := l.states.get(parent.Name); state != nil && state.uid != parent.UID {
		state.mayLeak.Store(true)
	}
}

// cleanUpAfterParent removes the leaked children of a parent that is gone, and forgets it. The error is
// stale if the cache does not show yet what earlier reconciles have pruned.
func (l *loop) cleanUpAfterParent(ctx context.Context, name types.NamespacedName) error {
	if err := l.removeLeakedPatches(ctx, name, ""); err != nil {
		return err
	}
	found, err := l.findLeaked(name, "")
	if err != nil {
		return err
	}
	if len(found) > 0 {
		if state := l.states.get(name); state != nil && state.writes.HasPending() {
			if err := l.checkSeen(ctx, state); err != nil {
				return err
			}
		}
		if err := l.removeLeaked(ctx, name, found); err != nil {
			return err
		}
	}
	l.forget(name)
	return nil
}

// cleanUpForParent removes the leaked children of earlier parents of this one's name.
func (r *run) cleanUpForParent(ctx context.Context) error {
	if !r.state.mayLeak.Swap(false) { // an event from now on sets it again
		return nil
	}
	found, err := r.loop.findLeaked(r.name(), r.parent.GetUID())
	if err == nil && len(found) > 0 {
		err = r.loop.removeLeaked(ctx, r.name(), found)
	}
	if err == nil {
		err = r.loop.removeLeakedPatches(ctx, r.name(), r.parent.GetUID())
	}
	if err != nil {
		r.state.mayLeak.Store(true)
	}
	return err
}

// findLeaked returns the children in the cache of parents of a name, without those of the
// UID that lives.
func (l *loop) findLeaked(name types.NamespacedName, living types.UID) ([]child, error) {
	if !l.shard.Empty() {
		return nil, nil
	}
	parent := ownership.Parent{Kind: l.parentKind.GroupVersionKind, Name: name}.String()
	var found []child
	for _, kind := range slices.Backward(l.childKinds) { // in the order of an ordered teardown
		if !kind.isServed() {
			continue
		}
		objects, err := kind.listByParent(parent)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			if l.childCache.keys.HasWrittenLabel(object, l.manager) && l.childCache.labelUID(object) != living {
				found = append(found, kind.newChild(object))
			}
		}
	}
	return found, nil
}

// removeLeaked deletes or orphans leaked children, unless the API server says that their
// parent lives. With an ordered teardown it removes one kind in a reconcile; the event of the
// last child that is gone causes the next.
func (l *loop) removeLeaked(ctx context.Context, parent types.NamespacedName, found []child) error {
	living, err := l.liveUID(ctx, parent)
	if err != nil {
		return err
	}
	var failures []error
	for _, child := range found {
		if l.childCache.labelUID(child.object) == living || child.object.GetDeletionTimestamp() != nil {
			continue
		}
		if l.definition.IsOrdered && child.childKind != found[0].childKind {
			break
		}
		if err := l.removeLeakedChild(ctx, child); err != nil && !isStale(err) {
			failures = append(failures, errChild{key: child.key(), err: err})
		}
	}
	return errors.Join(failures...)
}

// liveUID reads the parent of a name live and returns its UID; empty when there is none.
func (l *loop) liveUID(ctx context.Context, name types.NamespacedName) (types.UID, error) {
	parent := l.parentKind.withMetadataOnly().cached // which decodes always
	err := l.liveReader.Get(ctx, name, parent)
	if isGone(err) {
		return "", nil
	}
	return parent.GetUID(), err
}

// isGone reports whether the API server knows that there is no such object. It also answers
// "not found" for a version of a kind that it does not serve, whose objects may exist in
// another version.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// removeLeakedChild reads a child live, and deletes or orphans it if it is leaked.
func (l *loop) removeLeakedChild(ctx context.Context, leaked child) error {
	current := leaked.withMetadataOnly().cached
	err := l.liveReader.Get(ctx, leaked.name, current)
	if apierrors.IsNotFound(err) || err == nil && !l.isLeaked(current, leaked.object) {
		return nil
	}
	if err != nil {
		return err
	}
	verb := "deleted"
	if leaked.object = current; l.policiesOf(leaked).WhenDeleted == declared.Orphan {
		verb = "orphaned"
		err = l.removeOwnership(ctx, leaked, l.childCache.labelUID(current), nil)
	} else {
		_, err = leaked.applier.Delete(ctx, leaked.key(), current, metav1.DeletePropagationBackground)
	}
	if err != nil {
		return err
	}
	l.environment.Metrics.CountWrite(l.definition.Name, leaked.Kind, verb)
	log.FromContext(ctx).Info(verb+" a child whose parent went without the operator", "child", leaked.key().String())
	return nil
}

// isLeaked reports whether an object is what the cache shows, and carries the marks of a child
// exactly as this controller has written them. What a backup tool has restored does not, even
// if it restored the managedFields: their times are long before the creation of the object.
// Its parent was restored, too, and so has another UID than the label says.
func (l *loop) isLeaked(current, cached client.Object) bool {
	keys := l.childCache.keys
	_, named := ownership.AnnotationWrittenAt(current, keys.Parent, l.manager)
	return current.GetUID() == cached.GetUID() && current.GetDeletionTimestamp() == nil &&
		l.childCache.labelUID(current) == l.childCache.labelUID(cached) && keys.ParentName(current) != "" && keys.ParentName(current) == keys.ParentName(cached) &&
		named && keys.HasWrittenLabel(current, l.manager)
}
