// Package tracedpod writes onto Pods what services outside of the cluster know of them. Each call of a
// service is a span in the trace of the reconcile.
package tracedpod

import (
	"context"
	"fmt"
	"time"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// annotation has the address that the cloud knows a Pod by.
const annotation = "traced.example.com/address"

// Reconciler asks two services.
type Reconciler struct {
	cache, cloud service
}

// New makes the controller when the operator starts. Fakes stand for the services: a cache that never
// has anything, and a cloud with one address.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{
		cache: newFake("cache", "", 10*time.Millisecond),
		cloud: newFake("cloud", "192.0.2.1", 70*time.Millisecond),
	}), nil
}

// Sync wants the address of the Pod in an annotation. It has no code for traces: the runtime makes the
// span that ctx carries, and the calls make theirs below it.
func (r *Reconciler) Sync(ctx context.Context, req *Request) (*Response, error) {
	name := req.Parent.Namespace + "/" + req.Parent.Name
	address, err := r.cache.call(ctx, "get", name)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	if address == "" {
		if address, err = r.cloud.call(ctx, "describe", name); err != nil {
			return nil, fmt.Errorf("cloud: %w", err)
		}
		if _, err := r.cache.call(ctx, "store", name); err != nil {
			return nil, fmt.Errorf("cache: %w", err)
		}
	}
	return &Response{Annotations: map[string]string{annotation: address}}, nil
}
