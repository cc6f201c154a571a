package status

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A write by the difference from a cache that is behind does not fit the parent: the API server refuses it, as a
// condition would be there twice or is at another place. The next reconcile has a newer cache, unless that stands
// still. What the runtime says of the parent needs no newer cache, and starts from a live read then.

// readLive reads a parent from the API server. It returns nil if the parent is gone.
func (w *Writer) readLive(ctx context.Context, parent client.Object) (client.Object, error) {
	live := w.New()
	err := w.LiveReader.Get(ctx, client.ObjectKeyFromObject(parent), live)
	if apierrors.IsNotFound(err) || err == nil && live.GetUID() != parent.GetUID() {
		return nil, nil
	}
	return live, err
}

// writeLive writes a change without an author's part onto the parent as a live read shows it. It writes nothing if
// the parent is gone. A generation that was observed before stays.
func (w *Writer) writeLive(ctx context.Context, memory *Memory, change Change) (Result, error) {
	live, err := w.readLive(ctx, change.Parent)
	if live == nil || err != nil {
		return Result{}, err
	}
	return w.writeOnto(ctx, memory, change, live, max(change.Parent.GetGeneration(), w.Access.GenerationOf(live)))
}
