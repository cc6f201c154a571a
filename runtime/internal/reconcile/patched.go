package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// patchedObjects are the objects of a kind that the controller patches, for whatever parent. A watch of
// the metadata of those with the mark shows them, also those that no parent selects any more. So a patch
// is found after a restart, and after its parent is gone.
type patchedObjects struct {
	kind     kind // of metadata
	marks    ownership.PatchMarks
	cache    cache.Cache
	list     client.ObjectList // an empty one
	informer cache.Informer

	source consistency.Source // shows writes of these objects
}

// The indexes of patched objects.
const (
	byPatchingUID  = "patched for a UID"
	byPatchingName = "patched for a name" // in the form of ownership.Parent
)

// newPatchedObjects returns the patched objects of an entry. The watch is limited as that of the entry is,
// so that it needs no more rights.
func newPatchedObjects(l *loop, entry *relatedKind) (*patchedObjects, error) {
	if entry.Access == declared.AccessGet {
		return nil, errors.New("related objects of kind " + entry.Kind + " cannot be patched: access: get does not show which of them carry a patch")
	}
	added := &patchedObjects{kind: entry.kind.withMetadataOnly(), marks: l.patchMarks}
	part := related.Part{
		Kind: entry.GroupVersionKind, GoType: related.GoTypeOf(added.kind.cached), Name: entry.Name,
		Labels: l.patchMarks.Selector(), IsReduced: true, Marks: l.patchMarks.Prefix(),
	}
	if entry.listsNamespaces() && !l.environment.IsLimited() {
		part.Namespaces = related.JoinNamespaces(entry.Namespaces)
	}
	var err error
	if added.cache, err = l.environment.Related.Fixed(part); err != nil {
		return nil, err
	}
	if added.list, err = newList(l.client.Scheme(), added.kind); err != nil {
		return nil, err
	}
	added.source = consistency.Source{Kind: entry.GroupVersionKind, Cache: added.cache, Empty: added.kind.cached, Selects: part.Has}
	for name, valuesOf := range map[string]func(client.Object) []string{byPatchingUID: added.uidsOf, byPatchingName: added.namesOf} {
		if err := l.environment.Related.Index(added.cache, entry.GroupVersionKind, added.kind.cached, name, valuesOf); err != nil {
			return nil, err
		}
	}
	added.informer, err = added.cache.GetInformer(context.Background(), added.kind.cached, cache.BlockUntilSynced(false))
	return added, err
}

// hasSynced returns a function that reports whether the watch shows the objects.
func (p *patchedObjects) hasSynced() func() bool {
	if p == nil {
		return func() bool { return true }
	}
	return p.informer.HasSynced
}

// uidsOf returns the UIDs of the parents that an object is patched for.
func (p *patchedObjects) uidsOf(object client.Object) (uids []string) {
	for uid := range p.marks.Parents(object) {
		uids = append(uids, string(uid))
	}
	return uids
}

// namesOf returns the names of the parents that an object is patched for, as far as the marks say them.
func (p *patchedObjects) namesOf(object client.Object) []string {
	names := slices.Sorted(maps.Values(p.marks.Parents(object)))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// listBy returns the objects that an index has under a value.
func (p *patchedObjects) listBy(index, value string) ([]client.Object, error) {
	list := p.list.DeepCopyObject().(client.ObjectList)
	if err := p.cache.List(context.Background(), list, client.MatchingFields{index: value}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	return listItems(list)
}

// watchPatched returns the events of patched objects, which have their parents reconciled.
func (l *loop) watchPatched(patched *patchedObjects) source.Source {
	enqueue := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []ctrl.Request { return l.requestsForPatched(object) })
	changed := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return hasOtherMarks(e.ObjectOld, e.ObjectNew) }}
	return source.Kind[client.Object](patched.cache, patched.kind.cached, enqueue, changed)
}

// hasOtherMarks reports whether two states of a patched object differ in what says which fields are patched.
// The watch of the entry has the parent reconciled for the rest.
func hasOtherMarks(a, b client.Object) bool {
	return a.GetUID() != b.GetUID() || !maps.Equal(a.GetLabels(), b.GetLabels()) || !maps.Equal(a.GetAnnotations(), b.GetAnnotations()) ||
		!equality.Semantic.DeepEqual(a.GetManagedFields(), b.GetManagedFields())
}

// requestsForPatched returns a request for each parent of this loop's kind that an object is patched for,
// if the parent lies where the operator works.
func (l *loop) requestsForPatched(object client.Object) (requests []ctrl.Request) {
	for uid, text := range l.patchMarks.Parents(object) {
		name, ok := l.parseParent(text)
		if !ok {
			continue
		}
		if state := l.states.get(name); state != nil && state.uid != uid {
			state.mayLeak.Store(true)
		}
		requests = append(requests, ctrl.Request{NamespacedName: name})
	}
	return requests
}

// parseParent returns the name of a parent in a mark. It reports false for one of another kind, or outside
// of the namespaces that the operator works in.
func (l *loop) parseParent(text string) (name types.NamespacedName, ok bool) {
	rest, ok := strings.CutPrefix(text, l.parentKind.GroupKind().String()+"/")
	if !ok {
		return name, false
	}
	name.Name = rest
	if l.parentKind.namespaced {
		name.Namespace, name.Name, ok = strings.Cut(rest, "/")
	}
	return name, ok && l.environment.WorksIn(name.Namespace)
}

// patchedObject is an object that is patched for a parent, and its entry.
type patchedObject struct {
	*relatedKind
	object client.Object // of a cache
}

func (o patchedObject) key() apply.Key {
	return apply.Key{Kind: o.GroupVersionKind, Name: client.ObjectKeyFromObject(o.object)}
}

// observePatched returns the objects that are patched for the parent, without those that are being deleted:
// the ones with the mark, and those among its related objects that somebody has taken the mark off.
func (r *run) observePatched(observed *observed) (found []patchedObject, err error) {
	uid, seen := r.parent.GetUID(), map[types.UID]bool{}
	add := func(kind *relatedKind, objects []client.Object) {
		for _, object := range objects {
			if !seen[object.GetUID()] && object.GetDeletionTimestamp() == nil && r.loop.patchMarks.IsPatchedFor(object, uid) {
				seen[object.GetUID()] = true
				found = append(found, patchedObject{kind, object})
			}
		}
	}
	for i, kind := range r.loop.relatedKinds {
		if kind.patched == nil || !kind.isServed() {
			continue
		}
		if i < len(observed.related) {
			add(kind, observed.related[i])
		}
		marked, err := kind.patched.listBy(byPatchingUID, string(uid))
		if err != nil {
			return nil, err
		}
		add(kind, marked)
	}
	return found, nil
}
