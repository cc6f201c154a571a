// Package consistency keeps a controller from deciding by a cache that is older than its own
// writes.
//
// A reconcile records what it writes. The next reconcile of the same parent first checks that the
// cache has seen all of it, and is requeued otherwise. So its snapshot has every child that was
// just created, which would be created twice, and no child that was just deleted.
package consistency

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// Writes are the writes of one parent's reconciles that the cache may not show yet. The zero value
// is empty. It is not safe for concurrent use.
type Writes struct {
	pending []write // the last of each object in each source
}

// Source is a kind of objects and the cache that holds them.
type Source struct {
	Kind  schema.GroupVersionKind
	Cache Reader
	Empty client.Object // of the kind, to read into
	// ReadsLive reports whether nothing is held of an object, so that the next read of it is live
	// and shows every write. Nil: never.
	ReadsLive func(types.NamespacedName) bool
	// Selects reports whether the cache holds an object. Nil: it holds all.
	Selects func(client.Object) bool
}

// Reader reads an object.
type Reader interface {
	Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error
}

type write struct {
	source  *Source
	name    types.NamespacedName
	uid     types.UID
	version string // empty for a deletion
	gone    bool   // the object is gone: a cache that shows it being deleted is too old
	at      time.Time
	asked   time.Time // when the API server was asked about it; zero: never
}

// Lag is a write that a cache does not show yet.
type Lag struct {
	Kind  schema.GroupVersionKind
	Name  types.NamespacedName
	Since time.Time // of the write
}

// RecordWrite records that an object was created or changed. object is the answer of the API
// server. If the cache does not hold it, because admission has changed it, it has to leave the
// cache.
func (w *Writes) RecordWrite(source *Source, object client.Object, now time.Time) {
	if !source.selects(object) {
		w.RecordDeletion(source, object, now)
		return
	}
	w.record(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), version: object.GetResourceVersion(), at: now})
}

// RecordDeletion records that an object was deleted, or left the source.
func (w *Writes) RecordDeletion(source *Source, object client.Object, now time.Time) {
	w.record(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), at: now})
}

// RecordGone records that an object that was being deleted lost its last finalizer.
func (w *Writes) RecordGone(source *Source, object client.Object, now time.Time) {
	w.record(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), gone: true, at: now})
}

func (w *Writes) record(now write) {
	i := slices.IndexFunc(w.pending, func(before write) bool { return before.name == now.name && before.source == now.source })
	if i < 0 {
		w.pending = append(w.pending, now)
		return
	}
	w.pending[i] = now
}

// RecordDeparture records that an object has left the cache at a version, as its watch says: it was deleted, or lost the label
// that selects it. The cache never shows the writes up to that version, so they count as seen.
func (w *Writes) RecordDeparture(uid types.UID, version string) {
	w.pending = slices.DeleteFunc(w.pending, func(before write) bool {
		order, err := resourceversion.CompareResourceVersion(version, before.version)
		return before.uid == uid && err == nil && order >= 0
	})
}

// HasPending reports whether there are writes that the cache may not show yet.
func (w *Writes) HasPending() bool { return len(w.pending) > 0 }

// Lag returns the write that a cache does not show, after [Writes.AreSeen] has reported that there is one.
func (w *Writes) Lag() Lag {
	last := w.pending[len(w.pending)-1]
	return Lag{Kind: last.source.Kind, Name: last.name, Since: last.at}
}

// AreSeen reports whether the cache shows every recorded write, or something newer. It asks live,
// which reads from the API server, only about a write that the cache has lacked for a long time:
// someone else may have deleted the object before the cache saw it, or the cache may not hold it
// any more; the API server may have been restored from a backup, or its resource versions may have
// no order. A cache that shows what the API server has is new enough then.
func (w *Writes) AreSeen(ctx context.Context, live client.Reader, now time.Time) (bool, error) {
	for len(w.pending) > 0 {
		last := len(w.pending) - 1
		if seen, err := w.pending[last].isSeen(ctx, live, now); err != nil || !seen {
			return false, err
		}
		w.pending = w.pending[:last]
	}
	w.pending = nil // most parents have no pending writes most of the time
	return true, nil
}

// isSeen reports whether the cache shows the write, or something newer.
func (w *write) isSeen(ctx context.Context, live client.Reader, now time.Time) (bool, error) {
	if w.source.ReadsLive != nil && w.source.ReadsLive(w.name) {
		return true, nil
	}
	cached, err := ReadObject(ctx, w.source.Cache, w.source.Empty, w.name)
	if err != nil || w.isReachedBy(cached) {
		return err == nil, err
	}
	if now.Sub(w.at) < backoff.CacheLag || now.Sub(w.asked) < backoff.CacheLag {
		return false, nil
	}
	w.asked = now
	current, err := ReadObject(ctx, live, w.source.Empty, w.name)
	if err != nil {
		return false, err
	}
	if cached == nil {
		return current == nil || current.GetUID() != w.uid || !w.source.selects(current), nil
	}
	// The API server's version counts, even if its data was restored from a time before the
	// write.
	return current != nil && current.GetUID() == cached.GetUID() && current.GetResourceVersion() == cached.GetResourceVersion(), nil
}

func (s *Source) selects(object client.Object) bool { return s.Selects == nil || s.Selects(object) }

// isReachedBy reports whether a cached object shows the write, or something newer. Resource
// versions that are not numbers have no order: of them only the write's own version counts.
func (w *write) isReachedBy(cached client.Object) bool {
	if w.version == "" {
		return cached == nil || cached.GetUID() != w.uid || !w.gone && cached.GetDeletionTimestamp() != nil
	}
	if cached == nil {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), w.version)
	if err != nil {
		return cached.GetResourceVersion() == w.version
	}
	return order >= 0
}

// ReadObject returns an object, which may be the cache's own. It is nil if there is none.
func ReadObject(ctx context.Context, from Reader, empty client.Object, name types.NamespacedName) (client.Object, error) {
	object := empty.DeepCopyObject().(client.Object)
	err := from.Get(ctx, name, object, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

// NotFound returns the error for an object that does not exist.
func NotFound(kind schema.GroupVersionKind, name types.NamespacedName) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, name.Name)
}
