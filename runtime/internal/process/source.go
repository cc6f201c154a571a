package process

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Source has parents reconciled for what happens outside of the cluster.
type Source interface {
	// Attach has the source call a receiver until ctx ends.
	Attach(ctx context.Context, receiver Receiver)
	// Forget is called when a parent is gone. empty is an object of its kind.
	Forget(empty client.Object, name types.NamespacedName)
}

// Receiver is a controller that works.
type Receiver struct {
	Reconcile func(parent types.NamespacedName)
	Now       func() time.Time
	// CountAbandoned counts a call of the author's code that does not return.
	CountAbandoned func()
}

// WithSources returns the controller with sources, beside those that it has.
func (c Controller) WithSources(sources ...Source) Controller {
	c.sources = append(c.sources[:len(c.sources):len(c.sources)], sources...)
	return c
}

// Receivers is a source that has others name the parents. The zero value has no receiver.
type Receivers struct {
	mu   sync.Mutex
	next int
	byID map[int]Receiver
}

// Reconcile has every receiver reconcile its parent of this name.
func (r *Receivers) Reconcile(parent types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, receiver := range r.byID {
		receiver.Reconcile(parent)
	}
}

// Attach adds a receiver until ctx ends.
func (r *Receivers) Attach(ctx context.Context, receiver Receiver) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[int]Receiver{}
	}
	id := r.next
	r.next++
	r.byID[id] = receiver
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.byID, id)
	})
}

// Forget does nothing, since no parent is remembered.
func (r *Receivers) Forget(client.Object, types.NamespacedName) {}
