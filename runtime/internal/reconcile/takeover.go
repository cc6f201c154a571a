package reconcile

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// A parent may have children that another operator made: one that this operator replaces, or this one under
// an earlier name. They have no label of this operator's, so that no watch selects them. They are taken
// over before Sync is called for the first time:
//
//	this operator has never reconciled the parent    all that name it as their controller, whoever wrote that
//	it has, and TakeOverFrom names field managers    those whose controller reference one of these wrote
//
// Only parents that exist when the controller starts can have such children. Each kind is listed once for
// all of them, and not at all if there are none.

// takeover holds the parents whose children are to be taken over, and what the API server has of these.
type takeover struct {
	mu       sync.Mutex
	hasBegun bool
	parents  map[types.NamespacedName]takenParent
	reported map[schema.GroupVersionKind]struct{} // the kinds of whose removed fields an Event tells

	listing sync.Mutex
	lists   map[*kindEntries]ownedObjects
}

// takenParent is a parent whose children are to be taken over.
type takenParent struct {
	uid   types.UID
	isNew bool // the operator has never reconciled it
	// isUnread says that the parent did not decode, so that its status says nothing.
	isUnread bool
}

// ownedObjects are the objects of a kind that parents may take over.
type ownedObjects struct {
	byParent map[types.UID][]*metav1.PartialObjectMetadata
	listedAt time.Time
}

// listedFor is how long a list of objects serves. A parent that was paused at the start may be taken over
// much later.
const listedFor = 10 * time.Minute

func newTakeover() *takeover {
	return &takeover{parents: map[types.NamespacedName]takenParent{}, reported: map[schema.GroupVersionKind]struct{}{}, lists: map[*kindEntries]ownedObjects{}}
}

// isTakenOver reports whether the children of a parent are to be taken over. isNew says that this operator
// has never reconciled the parent.
func (l *loop) isTakenOver(ctx context.Context, parent client.Object) (isNew, isTaken bool, err error) {
	t := l.takeover
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.hasBegun {
		parents, err := l.listParents(ctx)
		if err != nil {
			return false, false, err
		}
		unknown, err := l.findUnknown(ctx, parents)
		if err != nil {
			return false, false, err
		}
		for _, object := range parents {
			isNew := !l.wasReconciled(object) && !unknown[object.GetUID()]
			isUnread := process.CheckReadable(l.parentKind.Kind, object) != nil
			if l.isParent(object) && (isNew || len(l.definition.TakeOverFrom) > 0) {
				t.parents[client.ObjectKeyFromObject(object)] = takenParent{object.GetUID(), isNew, isUnread}
			}
		}
		t.hasBegun = true
	}
	taken, isTaken := t.parents[client.ObjectKeyFromObject(parent)]
	if isTaken && taken.uid != parent.GetUID() {
		t.dropParent(client.ObjectKeyFromObject(parent)) // the parent of before is gone
		return false, false, nil
	}
	if taken.isUnread {
		unknown, err := l.findUnknown(ctx, []client.Object{parent})
		if err != nil {
			return false, false, err
		}
		if unknown[parent.GetUID()] || l.wasReconciled(parent) {
			taken.isNew, isTaken = false, len(l.definition.TakeOverFrom) > 0
		}
	}
	return taken.isNew, isTaken, nil
}

// wasReconciled reports whether this operator has reconciled a parent. A reconcile ends with the Ready
// condition; a parent whose children could not be taken over says so there. Whoever may write the status can
// remove it. So the finalizer counts, too, and a child that was applied: both come after a takeover. Of an
// operator that writes no status nothing can be known.
func (l *loop) wasReconciled(parent client.Object) bool {
	access := l.definition.Status
	if !access.HasConditions() {
		return access == nil || slices.ContainsFunc(parent.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == l.manager }) || l.hasApplied(parent)
	}
	ready := access.FindCondition(parent, status.Ready)
	return ready != nil && ready.Reason != reasonTakeover && managedfields.OwnsCondition(parent, l.manager, status.Ready) ||
		managedfields.OwnsFinalizer(parent, l.manager, l.finalizer) || l.hasApplied(parent)
}

// findUnknown returns the UIDs of the parents of which nobody knows whether this operator has reconciled them: they have
// what a reconcile leaves, and no managedFields that name who wrote it. The API server drops these once they name a
// version that has left the CRD. Such a parent counts as reconciled: nothing that this operator has left alone before is
// taken over then, and pruned. The caches hold no field managers of others, so that one list reads them live.
func (l *loop) findUnknown(ctx context.Context, parents []client.Object) (unknown map[types.UID]bool, err error) {
	left := map[types.UID][]fieldpath.Path{}
	for _, parent := range parents {
		if paths := l.leftByReconcile(parent); len(paths) > 0 && l.isParent(parent) && !l.wasReconciled(parent) {
			left[parent.GetUID()] = paths
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	unknown = map[types.UID]bool{}
	for _, namespace := range l.namespacesOfParents() {
		err = l.listMetadata(ctx, l.parentKind.GroupVersionKind, namespace, func(object *metav1.PartialObjectMetadata) {
			paths := left[object.GetUID()]
			hasWriter := func(path fieldpath.Path) bool { return managedfields.HasWriter(object, path) }
			unknown[object.GetUID()] = len(paths) > 0 && !slices.ContainsFunc(paths, hasWriter)
		})
		if err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// leftByReconcile returns the paths of what a parent has that a reconcile leaves, whoever wrote it.
func (l *loop) leftByReconcile(parent client.Object) (paths []fieldpath.Path) {
	access := l.definition.Status
	switch ready := access.FindCondition(parent, status.Ready); {
	case ready != nil && ready.Reason != reasonTakeover:
		paths = append(paths, managedfields.PathOfCondition(status.Ready))
	case access != nil && !access.HasConditions() && !reflect.ValueOf(access.Of(parent)).Elem().IsZero():
		paths = append(paths, fieldpath.MakePathOrDie("status"))
	}
	if controllerutil.ContainsFinalizer(parent, l.finalizer) {
		paths = append(paths, managedfields.PathOfFinalizer(l.finalizer))
	}
	return paths
}

// hasApplied reports whether the parent has a child of which this operator has written more than the marks. A copy is
// none. Of a child whose managedFields the API server has dropped, the hash says it.
func (l *loop) hasApplied(parent client.Object) bool {
	observed, err := l.observeChildren(parent)
	return err == nil && slices.ContainsFunc(slices.Concat(observed.children...), func(child client.Object) bool {
		_, hasHash := ownership.AnnotationWrittenAt(child, l.childCache.keys.Hash, l.manager)
		isUnknown := len(child.GetManagedFields()) == 0 && child.GetAnnotations()[l.childCache.keys.Hash] != ""
		return hasHash || isUnknown || managedfields.OwnsContent(child, l.manager)
	})
}

// endTakeover records that a parent has no children that are to be taken over, or is gone.
func (l *loop) endTakeover(parent types.NamespacedName) {
	l.takeover.mu.Lock()
	defer l.takeover.mu.Unlock()
	l.takeover.dropParent(parent)
}

// dropParent is endTakeover for a caller who holds the lock.
func (t *takeover) dropParent(parent types.NamespacedName) {
	if delete(t.parents, parent); len(t.parents) == 0 {
		t.lists = map[*kindEntries]ownedObjects{}
	}
}

// isFirstOfKind reports whether nothing was reported of a kind before.
func (t *takeover) isFirstOfKind(kind schema.GroupVersionKind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, isReported := t.reported[kind]
	t.reported[kind] = struct{}{}
	return !isReported
}

// listOwned returns the objects of a kind that a parent may take over, with their metadata.
func (l *loop) listOwned(ctx context.Context, kind *childKind, parent types.UID) ([]*metav1.PartialObjectMetadata, error) {
	t := l.takeover
	t.listing.Lock()
	defer t.listing.Unlock()
	known, isListed := t.lists[kind.entries]
	if isListed && l.now().Sub(known.listedAt) < listedFor {
		return known.byParent[parent], nil
	}
	listed, owners := ownedObjects{map[types.UID][]*metav1.PartialObjectMetadata{}, l.now()}, t.parentsByUID()
	if l.parentKind.namespaced && !kind.namespaced && len(l.childCache.former) == 0 {
		return nil, nil // the API allows no owner reference there
	}
	for _, namespace := range l.namespacesOfAll(kind) {
		err := l.listMetadata(ctx, kind.GroupVersionKind, namespace, func(object *metav1.PartialObjectMetadata) {
			owner := l.formerOwner(object)
			if by, isTaken := owners[owner]; isTaken && (by.isNew || managedfields.IsWrittenByAny(object, l.definition.TakeOverFrom)) {
				object.SetManagedFields(nil)
				listed.byParent[owner] = append(listed.byParent[owner], object)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	t.lists[kind.entries] = listed
	return listed.byParent[parent], nil
}

// formerOwner returns the UID of an object's controller, or of its parent as an operator says that
// TakeOverFrom names.
func (l *loop) formerOwner(object client.Object) types.UID {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
		return ref.UID
	}
	for _, former := range l.childCache.former {
		if uid := object.GetLabels()[former.Label]; uid != "" {
			return types.UID(uid)
		}
	}
	return ""
}

// parentsByUID returns the parents whose children are to be taken over, by their UIDs.
func (t *takeover) parentsByUID() map[types.UID]takenParent {
	t.mu.Lock()
	defer t.mu.Unlock()
	owners := make(map[types.UID]takenParent, len(t.parents))
	for _, parent := range t.parents {
		owners[parent.uid] = parent
	}
	return owners
}

// isLeftBehind reports whether an object that was read live is of another operator, which made it for this
// parent. isNew says that this operator has never reconciled the parent.
func (s *subject) isLeftBehind(object client.Object, isNew bool) bool {
	cache, uid, from := s.loop.childCache, s.parent.GetUID(), s.loop.definition.TakeOverFrom
	controller := metav1.GetControllerOfNoCopy(object)
	switch {
	case object.GetDeletionTimestamp() != nil, len(cache.claims(object)) > len(cache.formerClaims(object)):
		return false
	case cache.labelUID(object) == uid && cache.copiedBy(object) != "":
		return false // the copy of a child, which this operator leaves alone
	case controller == nil:
		return slices.ContainsFunc(cache.former, func(former formerKeys) bool {
			return former.isChild(object, s.owner(), cache.parents)
		})
	case controller.UID != uid || s.loop.parentKind.namespaced && object.GetNamespace() != s.parent.GetNamespace():
		return false
	case isNew:
		return true
	}
	return slices.ContainsFunc(from, func(manager string) bool { return ownership.HasWrittenReference(object, manager, uid) })
}
