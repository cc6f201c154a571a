package related

import (
	"context"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WatchMetadata opens the watch of the kind's metadata at once, for an entry that surely needs it.
func (s *Selected) WatchMetadata() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openMetadata()
}

// openMetadata opens the watch of the kind's metadata, unless it is open. The caller holds the lock.
func (s *Selected) openMetadata() (err error) {
	if s.metadata != nil {
		return nil
	}
	empty := newReduced(s.kind)
	s.metadata, err = s.watches.open(Part{Kind: s.kind, GoType: GoTypeOf(empty), IsReduced: true}, empty, callbacks{s.handle, s.replaceNames, func() {
		s.handleNames()
		s.handleWaiting()
	}})
	return err
}

// replaceNames closes the watches of names, since that of metadata shows all objects.
func (s *Selected) replaceNames() {
	var changed []types.NamespacedName
	s.mu.Lock()
	for name, object := range s.objects {
		if object.watch != nil || s.hasChanged(object, s.metadata) {
			changed = append(changed, name)
		}
		object.close()
	}
	s.mu.Unlock()
	for _, name := range changed {
		s.handleName(name)
	}
	s.handleWaiting()
}

// openNames opens the watches of names that are retained and not watched.
func (s *Selected) openNames() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newSince = (time.Time{}); s.metadata != nil {
		return
	}
	if len(s.objects) > maxNames {
		s.scheduleNameWatches()
		return
	}
	for name, object := range s.objects {
		if object.watch != nil {
			continue
		}
		call := callbacks{s.handle, func() { s.replaceCopy(name) }, func() { s.handleName(name) }}
		opened, err := s.watches.open(partOfName(s.kind, s.empty, name), s.empty, call)
		if err != nil {
			s.scheduleNameWatches()
			return
		}
		object.watch = opened
	}
}

// openNow opens the watches of names that are retained, if they are not open. It reports whether all
// watches show what they watch, or cannot be opened.
func (s *Selected) openNow() bool {
	s.mu.Lock()
	isScheduled := !s.newSince.IsZero() && s.settled.Stop()
	s.mu.Unlock()
	if isScheduled {
		s.openNames()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metadata != nil {
		return s.metadata.isSynced() || s.metadata.failed() != nil
	}
	for _, object := range s.objects {
		isShown := object.watch.isSynced() && object.copy == nil
		if !isShown && object.watch.failed() == nil {
			return false
		}
	}
	return true
}

// replaceCopy drops what was read live of an object, since a watch of its name shows it.
func (s *Selected) replaceCopy(name types.NamespacedName) {
	s.mu.Lock()
	object, hasChanged := s.objects[name], false
	if object != nil && object.watch.isSynced() { // it may be another watch than the one that is open now
		hasChanged, object.copy = s.hasChanged(object, object.watch), nil
	}
	s.mu.Unlock()
	if hasChanged {
		s.handleName(name)
	}
	s.handleWaiting()
}

// hasChanged reports whether a parent may have read another version of an object than a watch shows
// at its start. The caller holds the lock.
func (s *Selected) hasChanged(object *selectedObject, watch *watch) bool {
	if watch.hasFailed() || !object.isRead {
		return watch.hasFailed()
	}
	shown, err := watch.get(context.Background(), object.name)
	return err != nil || object.copy == nil || object.forgotten > 0 || versionOf(object.copy.object) != versionOf(shown)
}

// handleNames has the parents reconciled that name objects.
func (s *Selected) handleNames() {
	s.mu.Lock()
	names := slices.Collect(maps.Keys(s.objects))
	s.mu.Unlock()
	for _, name := range names {
		s.handleName(name)
	}
}

// handleName has the parents reconciled that name an object.
func (s *Selected) handleName(name types.NamespacedName) {
	object := newReduced(s.kind)
	object.Namespace, object.Name = name.Namespace, name.Name
	s.handle(object)
}

// listMetadata returns the names of the objects of a namespace that a query selects.
func (s *Selected) listMetadata(ctx context.Context, namespace string, query Query) ([]types.NamespacedName, error) {
	if query.IsEmpty() {
		return nil, nil
	}
	s.mu.Lock()
	err, metadata := s.openMetadata(), s.metadata
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !metadata.isSynced() {
		if err := metadata.failed(); err != nil {
			return nil, ErrUnwatched{s.kind, err}
		}
		return nil, ErrFilling
	}
	options := []client.ListOption{client.UnsafeDisableDeepCopy}
	if namespace != AllNamespaces {
		options = append(options, client.InNamespace(namespace))
	}
	if selector := query.selector(); selector != nil {
		options = append(options, client.MatchingLabelsSelector{Selector: selector})
	}
	list := new(metav1.PartialObjectMetadataList)
	list.SetGroupVersionKind(s.kind.GroupVersion().WithKind(s.kind.Kind + "List"))
	if err := metadata.List(ctx, list, options...); err != nil {
		return nil, err
	}
	var names []types.NamespacedName
	for i := range list.Items {
		if query.selector() != nil || slices.Contains(query.Names, list.Items[i].Name) {
			names = append(names, client.ObjectKeyFromObject(&list.Items[i]))
		}
	}
	return names, nil
}
