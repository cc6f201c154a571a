// Package greeting answers every Greeting with a text in its status.
package greeting

import (
	"context"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync answers with the status that the Greeting should have. It does not know whether the Greeting
// is new, has changed, or is as it was: the answer is the same.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	status := req.Parent.Status
	status.Text = "Hello, " + req.Parent.Spec.Who + "!"
	return &Response{Status: &status}, nil
}
