// Package ondeletedemo keeps a ConfigMap for every OnDeleteDemo.
package ondeletedemo

import (
	"context"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/update-strategy/api/v1"
	"example.com/update-strategy/internal/configmap"
)

// Reconciler keeps ConfigMaps.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one ConfigMap. A change waits until somebody deletes it: the spec file says so.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	demo, want := req.Parent, new(Desired)
	want.ConfigMaps.Add(configmap.For(demo.Name, demo.Spec.ConfigData))
	status := &v1.OnDeleteDemoStatus{ConfigData: configmap.Data(req.Children.ConfigMaps, demo.Name)}
	return &Response{Children: want, Status: status}, nil
}
