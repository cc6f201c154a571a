package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// newRelatedKind returns an entry of related objects. One of an optional kind that the API server does
// not serve is connected when it does.
func newRelatedKind(mgr manager.Manager, l *loop, entry declared.RelatedKind) (*relatedKind, error) {
	return newEntry(mgr, l, entry, false)
}

// newEntry is newRelatedKind, also for an entry of objects between a child and its members.
func newEntry(mgr manager.Manager, l *loop, entry declared.RelatedKind, isBetween bool) (*relatedKind, error) {
	kind, err := newKind(mgr, entry.Object)
	isMissing := entry.Optional && errors.As(err, new(process.ErrNotServed))
	if err != nil && !isMissing {
		return nil, err
	}
	if entry.Metadata {
		kind = kind.withMetadataOnly()
	}
	added := &relatedKind{kind: kind, RelatedKind: entry, isBetween: isBetween, index: related.NewIndex(matchedPaths(entry)...)}
	if added.isSelected() && !added.Metadata && added.Access != declared.AccessGet {
		added.selected = l.environment.Related.Selected(kind.GroupVersionKind, kind.empty, l.liveReader)
	}
	if entry.Optional {
		added.optional = newOptionalKind(kind)
	}
	if isMissing {
		return added, nil
	}
	hasSynced, err := added.connect(mgr, l)
	if err != nil {
		return nil, err
	}
	if entry.Optional {
		added.optional.hasSynced = hasSynced
		added.optional.served.Store(true)
	}
	l.environment.Await(kind.GroupVersionKind, entry.Optional, hasSynced)
	return added, nil
}

// connect has a watch show the objects of an entry, which is as small as the entry lets it be: see
// docs/children.md. The function reports whether it shows them.
func (k *relatedKind) connect(mgr manager.Manager, l *loop) (hasSynced func() bool, err error) {
	found, err := newKind(mgr, k.Object)
	if err != nil {
		return nil, err
	}
	k.namespaced = found.namespaced
	if k.list, err = newList(mgr.GetScheme(), k.kind); err != nil {
		return nil, err
	}
	switch {
	case k.Access == declared.AccessGet:
		k.liveReader = l.liveReader
	case k.selected != nil:
		err = k.addSelected(l)
	case k.Name != "" || k.Selector != "" || len(k.Match) > 0 && k.listsNamespaces():
		err = k.addPart(l)
	default:
		k.setCache(mgr.GetCache(), nil)
	}
	if paths := matchedPaths(k.RelatedKind); err == nil && len(paths) > 0 {
		err = l.environment.Related.IndexFields(k.cache, k.GroupVersionKind, k.cached, paths)
	}
	if err == nil && k.Patch {
		k.patched, err = newPatchedObjects(l, k)
	}
	if err != nil {
		return nil, err
	}
	showsPatched := k.patched.hasSynced()
	if k.cache == nil {
		return showsPatched, nil
	}
	informer, err := k.cache.GetInformer(context.Background(), k.cached, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	return func() bool { return informer.HasSynced() && showsPatched() }, nil
}

// isServed reports whether the objects of the entry are known. Before that, no more than the name of
// their kind is.
func (k *relatedKind) isServed() bool { return k.optional.isServed() }

// isSelected reports whether a parent says which objects are meant.
func (k *relatedKind) isSelected() bool {
	return k.Dynamic || k.NameFrom != "" || k.SelectorFrom != ""
}

// listsNamespaces reports whether the entry lists the namespaces of its objects.
func (k *relatedKind) listsNamespaces() bool {
	return k.namespaced && len(k.Namespaces) > 0 && !slices.Contains(k.Namespaces, declared.AllNamespaces)
}

// matchedPaths returns the paths of the fields by which the objects of an entry are found.
func matchedPaths(entry declared.RelatedKind) []string {
	if entry.OfChild != nil {
		return []string{related.ControllerPath}
	}
	return slices.Sorted(maps.Keys(entry.Match))
}

// setCache has a cache show the objects of the entry. has reports whether the cache holds an object.
// Nil: it holds all.
func (k *relatedKind) setCache(shows cache.Cache, has func(client.Object) bool) {
	k.cache = shows
	k.source = &consistency.Source{Kind: k.GroupVersionKind, Cache: shows, Empty: k.cached, Selects: has}
}

// addPart has a watch of the entry's name or labels alone show its objects.
func (k *relatedKind) addPart(l *loop) error {
	part := related.Part{Kind: k.GroupVersionKind, GoType: related.GoTypeOf(k.cached), Name: k.Name, Labels: k.Selector}
	part.IsReduced, part.HasOwners = k.isBetween, k.isBetween
	if k.listsNamespaces() && !l.environment.IsLimited() {
		part.Namespaces = related.JoinNamespaces(k.Namespaces)
	}
	shows, err := l.environment.Related.Fixed(part)
	if err != nil {
		return err
	}
	k.setCache(shows, part.Has)
	return nil
}

// addSelected has the watches of what parents select show the objects of the entry.
func (k *relatedKind) addSelected(l *loop) error {
	source := k.selected.Source()
	k.source = &source
	if k.SelectorFrom != "" || k.NameFrom != "" && k.mayBeAnywhere(l) {
		return k.selected.WatchMetadata()
	}
	return nil
}

// mayBeAnywhere reports whether a name of the entry stands for objects in all namespaces.
func (k *relatedKind) mayBeAnywhere(l *loop) bool {
	if !k.namespaced || k.NamespacesFrom != "" {
		return false
	}
	return slices.Contains(k.Namespaces, declared.AllNamespaces) || len(k.Namespaces) == 0 && k.From == "" && !l.parentKind.namespaced
}

// watchRelated has the parents reconciled that read a related object which changes, or have patched it. It
// returns the sources of such events for the controller.
func (l *loop) watchRelated(kind *relatedKind) (sources []source.Source) {
	if kind.selected != nil {
		kind.selected.Handle(kind.index, func(parent client.ObjectKey) { l.queue.Add(ctrl.Request{NamespacedName: parent}) })
	}
	if kind.patched != nil {
		sources = append(sources, l.watchPatched(kind.patched))
	}
	if kind.cache == nil {
		return sources
	}
	enqueue := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []ctrl.Request { return kind.requestsForReaders(object) })
	return append(sources, source.Kind[client.Object](kind.cache, kind.cached, enqueue, predicate.ResourceVersionChangedPredicate{}))
}

// recordRelated records the write or deletion of an object for the caches of related kinds that show
// it, so that the next reconcile waits until they have caught up. record is the function for either.
func (w *writer) recordRelated(kind schema.GroupVersionKind, object client.Object, record func(*consistency.Source, client.Object, time.Time)) {
	for _, entry := range w.loop.relatedKinds {
		if entry.GroupVersionKind != kind || !entry.isServed() {
			continue
		}
		if entry.source != nil {
			record(entry.source, object, w.now)
			entry.forget(object)
		}
		if entry.patched != nil {
			record(&entry.patched.source, object, w.now)
		}
	}
}

// forget drops what was read live of an object.
func (k *relatedKind) forget(object client.Object) {
	if k.selected != nil {
		k.selected.Forget(client.ObjectKeyFromObject(object))
	}
}

// release drops what a parent reads of the entry.
func (k *relatedKind) release(parent client.ObjectKey) {
	k.index.Set(parent, nil)
	if k.selected != nil {
		k.selected.Release(k.index, parent)
	}
}
