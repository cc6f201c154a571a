// Package consistency keeps a loop from deciding on a cache that is older than
// the loop's own writes.
//
// A reconcile records what it writes. The next reconcile of the same parent checks first
// whether the cache has seen all of it, and is put off if not. So a snapshot never misses a
// child that was just created, which would be created twice, and never contains one that was
// just deleted.
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

// Writes are the writes of one parent's reconciles that the cache may not have
// seen yet. The zero value is empty. It is for one goroutine at a time.
type Writes struct {
	pending []write // the last of each object in each source
}

// Source is where the objects of a kind are seen.
type Source struct {
	Kind  schema.GroupVersionKind
	Cache client.Reader
	Empty client.Object // of the kind, to read into
	// Holds reports whether the cache is to hold an object; nil: it holds all.
	Holds func(client.Object) bool
}

type write struct {
	source  *Source
	name    types.NamespacedName
	uid     types.UID
	version string // empty for a deletion
	gone    bool   // so that a cache that shows it being deleted is too old, too
	at      time.Time
}

// Wrote records that an object was created or changed; object is what the API
// server answered. One that the cache does not hold, since admission has changed it,
// has to leave the cache.
func (w *Writes) Wrote(source *Source, object client.Object, now time.Time) {
	if !source.holds(object) {
		w.Deleted(source, object, now)
		return
	}
	w.add(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), version: object.GetResourceVersion(), at: now})
}

// Deleted records that an object was deleted, or is none of the source's any more.
func (w *Writes) Deleted(source *Source, object client.Object, now time.Time) {
	w.add(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), at: now})
}

// Gone records that an object that was being deleted lost its last finalizer.
func (w *Writes) Gone(source *Source, object client.Object, now time.Time) {
	w.add(write{source: source, name: client.ObjectKeyFromObject(object), uid: object.GetUID(), gone: true, at: now})
}

func (w *Writes) add(now write) {
	i := slices.IndexFunc(w.pending, func(before write) bool { return before.name == now.name && before.source == now.source })
	if i < 0 {
		w.pending = append(w.pending, now)
		return
	}
	w.pending[i] = now
}

// Pending reports whether there are writes that the cache is not known to hold.
func (w *Writes) Pending() bool { return len(w.pending) > 0 }

// Seen reports whether the cache holds every recorded write, or something
// newer. live, which reads from the API server, is asked only about a write
// that the cache has lacked for a long time: someone else may have deleted the
// object before the cache could see it, or made it one that the cache does not
// hold; the API server's data may have been restored from a backup, or its
// resource versions may have no order. A cache that holds what the API server
// holds is new enough then.
func (w *Writes) Seen(ctx context.Context, live client.Reader, now time.Time) (bool, error) {
	for len(w.pending) > 0 {
		last := len(w.pending) - 1
		if seen, err := w.pending[last].seen(ctx, live, now); err != nil || !seen {
			return false, err
		}
		w.pending = w.pending[:last]
	}
	w.pending = nil // most parents wait for nothing most of the time
	return true, nil
}

func (w *write) seen(ctx context.Context, live client.Reader, now time.Time) (bool, error) {
	cached, err := read(ctx, w.source.Cache, w.source.Empty, w.name)
	if err != nil || w.reached(cached) {
		return err == nil, err
	}
	if now.Sub(w.at) < backoff.CacheLag {
		return false, nil
	}
	w.at = now
	current, err := read(ctx, live, w.source.Empty, w.name)
	if err != nil {
		return false, err
	}
	if cached == nil {
		return current == nil || current.GetUID() != w.uid || !w.source.holds(current), nil
	}
	// What the API server holds is the truth, even if its data was restored
	// from a time before the write.
	return current != nil && current.GetUID() == cached.GetUID() && current.GetResourceVersion() == cached.GetResourceVersion(), nil
}

func (s *Source) holds(object client.Object) bool { return s.Holds == nil || s.Holds(object) }

// reached reports whether what the cache holds is the write, or something newer.
// Resource versions that are no numbers have no order: of them, only the
// write's own counts.
func (w *write) reached(cached client.Object) bool {
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

// read returns the object, or nil when there is none.
func read(ctx context.Context, from client.Reader, empty client.Object, name types.NamespacedName) (client.Object, error) {
	object := empty.DeepCopyObject().(client.Object)
	err := from.Get(ctx, name, object, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}
