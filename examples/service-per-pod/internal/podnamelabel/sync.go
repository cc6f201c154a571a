// Package podnamelabel labels Pods with their own names.
package podnamelabel

import (
	"context"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// annotation is where a Pod says which label is to be its name.
const annotation = "pod-name-label"

// Reconciler labels Pods.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one label. The runtime takes it off again when the Pod names another one, or none.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	pod := req.Parent
	return &Response{Labels: map[string]string{pod.Annotations[annotation]: pod.Name}}, nil
}
