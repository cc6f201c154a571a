// Package echopod logs Pods, and that they go.
package echopod

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync logs a Pod whenever it has changed. The runtime's logger adds the namespace and the name.
// The response is empty, because there is nothing to do.
func (r *Reconciler) Sync(ctx context.Context, req *Request) (*Response, error) {
	log.FromContext(ctx).Info("Pod exists", "phase", req.Parent.Status.Phase)
	return &Response{}, nil
}

// Finalize logs that a Pod goes, and lets it go.
func (r *Reconciler) Finalize(ctx context.Context, req *Request) (*Response, error) {
	message := "Pod is being deleted"
	if req.Parent.DeletionTimestamp == nil {
		message = "Pod has lost the label"
	}
	log.FromContext(ctx).Info(message)
	return &Response{Finalized: true}, nil
}
