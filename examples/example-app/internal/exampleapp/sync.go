// Package exampleapp carries an ExampleApp through its whole life: installation, upgrades with a migration and a
// way back, backups, recovery, repair, scaling.
//
// Each capability is a method of plan in a file of its own, which adds to what is desired.
package exampleapp

import (
	"context"
	"errors"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/example-app/api/v1alpha1"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// plan is one call of Sync: what it has got, and what it desires and says so far.
type plan struct {
	*Request
	want     *Desired
	status   *v1alpha1.ExampleAppStatus
	response *Response
}

// Sync decides in this order: what the application stands on, whether its data is being restored, which version
// runs, and then all that happens beside it. A restore and an upgrade stop the application and have it to
// themselves.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	p := &plan{Request: req, want: new(Desired), status: req.Parent.Status.DeepCopy()}
	p.response = &Response{Children: p.want, Status: p.status}
	p.install()

	isRestoring, restoreErr := p.restore()
	isUpgrading := false
	if !isRestoring {
		isUpgrading = p.upgrade()
	}
	p.scale()
	backupErr := p.backUp(isRestoring || isUpgrading)
	if !isRestoring && !isUpgrading {
		p.remedy()
	}
	p.describe()
	return p.response, errors.Join(restoreErr, backupErr)
}
