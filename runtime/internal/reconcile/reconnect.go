package reconcile

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// A parent that is connected again takes its children back before Sync is called. Sync names those that it
// desires, and not those of a history, nor those that it keeps because they exist. What was orphaned has no
// label that a watch could select, so each kind is listed once.

// listPage is how many objects a list asks for at a time.
const listPage = 500

// isReconnected reports whether the parent was disconnected until now, as this process knows or the status
// shows.
func (r *restorer) isReconnected() bool {
	shown := r.loop.definition.Status.FindCondition(r.parent, status.Suspended)
	return r.state.isDisconnected || shown != nil && shown.Status == metav1.ConditionTrue && shown.Reason == reasonDisconnected
}

// findDisconnected returns what was orphaned when the parent was disconnected, if it was until now. If it still is, a
// release that allowed this may have orphaned children of kinds that forbid it now.
func (r *restorer) findDisconnected(ctx context.Context) (found []child, err error) {
	if !r.isReconnected() {
		return nil, nil
	}
	isSuspended := r.findSuspension() != nil
	for _, kind := range r.loop.childKinds {
		if !kind.isServed() || !kind.isFirst() || isSuspended && !kind.ForbidDisconnect {
			continue
		}
		for _, namespace := range r.loop.namespacesOf(kind, r.parent.GetNamespace()) {
			objects, err := r.listFormer(ctx, kind, namespace)
			if err != nil {
				return nil, err
			}
			found = append(found, objects...)
		}
	}
	return found, nil
}

// listFormer lists what was orphaned of a kind in a namespace, which is empty for all of them.
func (r *restorer) listFormer(ctx context.Context, kind *childKind, namespace string) (found []child, err error) {
	err = r.loop.listMetadata(ctx, kind.GroupVersionKind, namespace, func(object *metav1.PartialObjectMetadata) {
		if r.wasDisconnected(object) {
			found = append(found, kind.entryOf(object).newChild(object))
		}
	})
	return found, err
}

// listMetadata lists the metadata of all objects of a kind in a namespace, which is empty for all of them.
func (l *loop) listMetadata(ctx context.Context, kind schema.GroupVersionKind, namespace string, visit func(*metav1.PartialObjectMetadata)) error {
	list := new(metav1.PartialObjectMetadataList)
	for hasMore := true; hasMore; hasMore = list.Continue != "" {
		page := []client.ListOption{client.InNamespace(namespace), client.Limit(listPage), client.Continue(list.Continue)}
		list = new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := l.liveReader.List(ctx, list, page...); err != nil {
			return err
		}
		for i := range list.Items {
			visit(&list.Items[i])
		}
	}
	return nil
}

// namespacesOfParents returns the namespaces in which parents may lie; an empty one stands for all.
func (l *loop) namespacesOfParents() []string {
	if !l.parentKind.namespaced || !l.environment.IsLimited() {
		return []string{""}
	}
	return l.environment.Namespaces
}

// namespacesOfAll returns the namespaces in which children of a kind may lie, of whichever parent; an empty
// one stands for all.
func (l *loop) namespacesOfAll(kind *childKind) []string {
	if !l.parentKind.namespaced {
		return l.namespacesOf(kind, "")
	}
	if !l.environment.IsLimited() {
		return []string{""}
	}
	var all []string
	for _, own := range l.environment.Namespaces {
		all = append(all, l.namespacesOf(kind, own)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// namespacesOf returns the namespaces in which children of a kind may lie, of a parent in a namespace of its
// own; an empty one stands for all.
func (l *loop) namespacesOf(kind *childKind, own string) []string {
	if !l.parentKind.namespaced {
		own = ""
	}
	switch {
	case !kind.namespaced:
		return []string{""}
	case slices.Contains(kind.Namespaces, declared.AllNamespaces), own == "" && len(kind.Namespaces) == 0:
		if l.environment.IsLimited() {
			return l.environment.Namespaces
		}
		return []string{""}
	case own == "" || slices.Contains(kind.Namespaces, own):
		return kind.Namespaces
	}
	return append([]string{own}, kind.Namespaces...)
}

// takeBack gives those children their marks back that the parent had when it was disconnected, and adds them to
// those that are observed.
func (r *restorer) takeBack(ctx context.Context, observed *observed) error {
	found, err := r.findDisconnected(ctx)
	if err != nil {
		return err
	}
	for _, child := range found {
		object, err := r.restoreChild(ctx, child)
		if err != nil {
			return err
		}
		if object != nil {
			observed.add(child.childKind, object)
		}
	}
	r.state.isDisconnected = false
	return nil
}
