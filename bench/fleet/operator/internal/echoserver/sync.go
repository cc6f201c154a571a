// Package echoserver operates the kind EchoServer: Sync says what should be, and the runtime makes it so.
package echoserver

import (
	"context"

	"github.com/opgen-dev/opgen/runtime/operator"

	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

// Reconciler holds nothing: Sync needs its request alone.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants the three children that all contenders make.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	echo, want := req.Parent, new(Desired)
	want.ConfigMaps.Add(children.ConfigMap(echo))
	want.Services.Add(children.Service(echo))
	want.Deployments.Add(children.Deployment(echo))

	status := echo.Status
	status.URL = children.URL(echo)
	if deployment, ok := req.Children.Deployments.Get(echo.Name); ok {
		status.ReadyReplicas = deployment.Status.ReadyReplicas
	}
	return &Response{Children: want, Status: &status}, nil
}
