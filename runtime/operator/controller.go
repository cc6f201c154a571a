package operator

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Manager is what an author's New gets: controller-runtime's manager, with a
// client, a cache and the REST configuration of the process.
type Manager = manager.Manager

// Controller runs Sync for the parents of one kind. [NewController] makes it.
type Controller struct {
	name    string
	project string // empty if it does not say
	setUp   func(Manager, Options, *lifetime) error
}

// NewController makes a controller from its definition.
func NewController[P client.Object, S, C, D, R any](definition Definition[P, S, C, D, R]) Controller {
	return Controller{
		name:    definition.Name,
		project: definition.Project,
		setUp: func(mgr Manager, options Options, life *lifetime) error {
			return setUp(mgr, options, life, definition)
		},
	}
}
