package reconcile

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// observed is what the cache shows of a parent's children and related objects.
type observed struct {
	kinds    []*childKind
	isServed []bool            // by kind
	children [][]client.Object // per kind of children; the cache's own objects
	related  [][]client.Object // per entry of related objects; the cache's own objects

	isRelatedServed []bool // by entry
	patched         []patchedObject

	copies   []child // objects with the marks of a child that somebody else wrote
	unmarked []child // objects of which a mark is left that this operator wrote, and that are no children
}

// startRun reads a parent once the cache holds all that earlier reconciles of it have
// written. It returns nil if there is no parent that this operator works on. The error is stale if the
// cache is still out of date: the run can do nothing but say so then.
func (l *loop) startRun(ctx context.Context, name types.NamespacedName) (*run, error) {
	r, err := l.readParent(ctx, name)
	if r == nil || err != nil || !r.state.writes.HasPending() {
		return r, err
	}
	if err := l.checkSeen(ctx, r.state); err != nil {
		return r, err
	}
	return l.readParent(ctx, name) // only now is the cache known to be new enough
}

// readParent reads a parent from the cache, and cleans up after one that is gone.
func (l *loop) readParent(ctx context.Context, name types.NamespacedName) (*run, error) {
	parent := l.parentKind.newObject()
	err := l.cache.Get(ctx, name, parent, uncopiedOptions(parent)...)
	if apierrors.IsNotFound(err) {
		return nil, l.cleanUpAfterParent(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	if !l.shard.has(parent) {
		l.forget(name)
		return nil, nil
	}
	r := l.newRun(parent)
	if err := process.CheckReadable(l.parentKind.Kind, parent); err != nil {
		r.warnAboutUnreadable(ctx, err)
		return nil, nil
	}
	return r, nil
}

// checkSeen returns a stale error if the cache does not show yet what earlier reconciles of a parent have
// written.
func (l *loop) checkSeen(ctx context.Context, s *state) error {
	for _, left := range s.missing.list() {
		s.writes.RecordDeparture(left.object.GetUID(), left.object.GetResourceVersion())
	}
	seen, err := s.writes.AreSeen(ctx, l.liveReader, l.now())
	if err == nil && !seen {
		return errStale{errCacheStale}
	}
	return err
}

// uncopiedOptions returns the options by which a cache returns what it holds, in a struct of
// the caller's own. An unstructured object has none but its map.
func uncopiedOptions(object client.Object) []client.GetOption {
	if _, isMap := object.(runtime.Unstructured); isMap {
		return nil
	}
	return []client.GetOption{client.UnsafeDisableDeepCopy}
}

// observeChildren returns the children that a parent has in the cache.
func (l *loop) observeChildren(parent client.Object) (*observed, error) {
	found := &observed{kinds: l.childKinds, isServed: make([]bool, len(l.childKinds)), children: make([][]client.Object, len(l.childKinds))}
	owner := ownership.Parent{Kind: l.parentKind.GroupVersionKind, Name: client.ObjectKeyFromObject(parent), UID: parent.GetUID()}
	keyOfChildren, keyOfCopies := childrenOf(owner), copiesFor(owner)
	for i, kind := range l.childKinds {
		if found.isServed[i] = kind.isServed(); !found.isServed[i] {
			continue
		}
		var err error
		if found.children[i], err = kind.listByParent(keyOfChildren); err != nil {
			return nil, err
		}
		copies, err := kind.listByParent(keyOfCopies)
		if err != nil {
			return nil, err
		}
		unmarked, err := l.listUnmarked(kind, owner, parent.GetDeletionTimestamp() != nil)
		if err != nil {
			return nil, err
		}
		for _, object := range copies {
			found.copies = append(found.copies, kind.newChild(object))
		}
		found.unmarked = append(found.unmarked, unmarked...)
	}
	return found, nil
}

// checkReadable returns the errors of children that do not decode. Sync would take them for missing.
func (o *observed) checkReadable() error {
	var unreadable []error
	for i, objects := range o.children {
		for _, object := range objects {
			unreadable = append(unreadable, process.CheckReadable(o.kinds[i].Kind, object))
		}
	}
	return errors.Join(unreadable...)
}

// listUnmarked returns the objects of the cache that are no children of a parent, but have a mark of
// one which this operator wrote: the label, without an owner, or the annotation, with a label of
// somebody else's. A deletion of the parent takes owners away on purpose, unless the kind forbids that.
func (l *loop) listUnmarked(kind *childKind, owner ownership.Parent, isDeleting bool) (unmarked []child, err error) {
	unowned, err := kind.listByParent(lostPrefix + string(owner.UID))
	if err != nil {
		return nil, err
	}
	for _, object := range unowned {
		if (!isDeleting || kind.ForbidDisconnect) && l.childCache.keys.HasWrittenLabel(object, l.manager) {
			unmarked = append(unmarked, kind.newChild(object))
		}
	}
	named, err := kind.listByParent(owner.String())
	if err != nil {
		return nil, err
	}
	for _, object := range named {
		if l.childCache.labelUID(object) == owner.UID { // all children with the annotation are here
			continue
		}
		_, isNamed := ownership.AnnotationWrittenAt(object, l.childCache.keys.Parent, l.manager)
		if isNamed && !l.childCache.keys.HasWrittenLabel(object, l.manager) {
			unmarked = append(unmarked, kind.newChild(object))
		}
	}
	return unmarked, nil
}

// all returns every observed child, kind by kind, in the order of their names: the cache has
// none, and messages name children.
func (o *observed) all() []child {
	n := 0
	for _, objects := range o.children {
		n += len(objects)
	}
	all := make([]child, 0, n)
	for i, objects := range o.children {
		for _, object := range objects {
			all = append(all, (o.kinds[i]).newChild(object))
		}
		slices.SortFunc(all[len(all)-len(objects):], func(a, b child) int {
			return cmp.Or(strings.Compare(a.name.Namespace, b.name.Namespace), strings.Compare(a.name.Name, b.name.Name))
		})
	}
	return all
}

// ofKind returns the children of a kind, of whichever entry.
func (o *observed) ofKind(kind *childKind) []client.Object {
	if len(kind.entries.all) == 1 {
		return o.children[slices.Index(o.kinds, kind)]
	}
	var all [][]client.Object
	for i, other := range o.kinds {
		if other.entries == kind.entries {
			all = append(all, o.children[i])
		}
	}
	return slices.Concat(all...)
}

// isEmpty reports whether there are no children.
func (o *observed) isEmpty() bool {
	return !slices.ContainsFunc(o.children, func(objects []client.Object) bool { return len(objects) > 0 })
}

// uids returns the UIDs of every observed child.
func (o *observed) uids() map[types.UID]bool {
	known := map[types.UID]bool{}
	for _, objects := range o.children {
		for _, object := range objects {
			known[object.GetUID()] = true
		}
	}
	return known
}

// add adds a child that the cache does not show.
func (o *observed) add(kind *childKind, object client.Object) {
	i := slices.Index(o.kinds, kind)
	o.children[i] = append(o.children[i], object)
}

// put adds a child, or replaces it as the cache shows it.
func (o *observed) put(kind *childKind, object client.Object) {
	for i, objects := range o.children {
		isSame := func(other client.Object) bool { return other.GetUID() == object.GetUID() }
		if o.kinds[i].entries == kind.entries && slices.ContainsFunc(objects, isSame) {
			o.children[i] = slices.DeleteFunc(slices.Clone(objects), isSame)
		}
	}
	o.add(kind, object)
}

// addMissing adds those of the children that the cache does not show yet.
func (o *observed) addMissing(children []child) {
	known := o.uids()
	for _, child := range children {
		if child.object != nil && !known[child.object.GetUID()] {
			o.add(child.childKind, child.object)
		}
	}
}

// byName returns objects by their names.
func byName(objects []client.Object) map[types.NamespacedName]client.Object {
	named := make(map[types.NamespacedName]client.Object, len(objects))
	for _, object := range objects {
		named[client.ObjectKeyFromObject(object)] = object
	}
	return named
}
