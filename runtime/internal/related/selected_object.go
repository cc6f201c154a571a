package related

import (
	"cmp"
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/consistency"
)

// selectedObject is an object that parents select. The lock of its Selected guards it.
type selectedObject struct {
	name    types.NamespacedName
	readers int
	watch   *watch // of its name; nil: there is none
	copy    *liveCopy

	isRead    bool       // live, or is being read
	forgotten int        // how often Forget was called
	reading   sync.Mutex // held while the object is read live, so that parents share what was read
}

// liveCopy is what a live read returned.
type liveCopy struct {
	object client.Object // nil: there was none
	// shown is the version that the watch of metadata showed then. It is empty if nothing watched
	// the object.
	shown string
}

// close closes the watch of the name.
func (o *selectedObject) close() {
	if o.watch != nil {
		o.watch.close()
		o.watch = nil
	}
}

// versionOf returns a text that differs for each version of an object; empty for nil.
func versionOf(object client.Object) string {
	if object == nil {
		return ""
	}
	return string(object.GetUID()) + "/" + object.GetResourceVersion()
}

// get returns an object that is retained; nil if there is none. It is the watch's, or was read live in
// the version that the watch of metadata shows, or later. While nothing watches the object it is
// read live once.
func (s *Selected) get(ctx context.Context, name types.NamespacedName) (client.Object, error) {
	s.mu.Lock()
	object, metadata := s.objects[name], s.metadata
	watch := object.watch
	s.mu.Unlock()
	switch {
	case metadata.isSynced():
		shown, err := metadata.get(ctx, name)
		if err != nil || shown == nil {
			s.Forget(name)
			return nil, err
		}
		return s.readLive(ctx, object, versionOf(shown))
	case watch.isSynced():
		return watch.get(ctx, name)
	}
	if err := cmp.Or(metadata.failed(), watch.failed()); err != nil {
		return nil, ErrUnwatched{s.kind, err}
	}
	return s.readLive(ctx, object, "")
}

// readLive returns an object in the version that the watch of metadata shows, or a later one. It
// reads it from the API server unless it has done so since that version was shown. An order of
// versions is not assumed, since the API server may have been restored from a backup.
func (s *Selected) readLive(ctx context.Context, object *selectedObject, shown string) (client.Object, error) {
	object.reading.Lock()
	defer object.reading.Unlock()
	s.mu.Lock()
	last, forgotten := object.copy, object.forgotten
	object.isRead = true
	s.mu.Unlock()
	if last != nil && (last.shown == shown || versionOf(last.object) == shown) {
		last.shown = shown
		return last.object, nil
	}
	read, err := consistency.ReadObject(ctx, s.live, s.empty, object.name)
	if err != nil {
		return nil, err
	}
	if read != nil {
		if _, err := s.trim(read); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if object.forgotten == forgotten {
		object.copy = &liveCopy{read, shown}
	}
	return read, nil
}

// Forget drops what was read live of an object, for one that the operator itself has written: the
// next read is live then, or from a watch.
func (s *Selected) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if object := s.objects[name]; object != nil {
		object.copy = nil
		object.forgotten++
	}
}

// ReadsLive reports whether nothing is retained of an object, so that it will be read live.
func (s *Selected) ReadsLive(name types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metadata.isSynced() {
		return false
	}
	object := s.objects[name]
	return object == nil || !object.watch.isSynced() && object.copy == nil
}

// Source returns what shows the operator's own writes of these objects.
func (s *Selected) Source() consistency.Source {
	return consistency.Source{Kind: s.kind, Cache: versions{s}, Empty: newReduced(s.kind), ReadsLive: s.ReadsLive}
}

// versions shows the versions of the objects that the next reads return, if these are not live.
type versions struct{ *Selected }

// Get returns the version of an object.
func (v versions) Get(ctx context.Context, name client.ObjectKey, into client.Object, options ...client.GetOption) error {
	v.mu.Lock()
	object, metadata := v.objects[name], v.metadata
	var watch *watch
	var last *liveCopy
	if object != nil {
		watch, last = object.watch, object.copy
	}
	v.mu.Unlock()
	var shown client.Object
	var err error
	switch {
	case metadata.isSynced():
		return metadata.Get(ctx, name, into, options...)
	case watch.isSynced():
		shown, err = watch.get(ctx, name)
	case last != nil:
		shown = last.object
	}
	if err != nil {
		return err
	}
	if shown == nil {
		return consistency.NotFound(v.kind, name)
	}
	version := into.(*metav1.PartialObjectMetadata)
	version.Namespace, version.Name, version.UID = name.Namespace, name.Name, shown.GetUID()
	version.ResourceVersion, version.DeletionTimestamp = shown.GetResourceVersion(), shown.GetDeletionTimestamp()
	return nil
}
