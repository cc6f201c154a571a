package operator

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Manager is what an author's New gets: controller-runtime's manager, with a
// client, a cache and the REST configuration of the process.
type Manager = manager.Manager

// Controller runs Sync for the parents of one Definition. [NewController] makes it.
type Controller = process.Controller

// Main runs the controllers of a project until the process is told to stop. It
// is all that a generated main function calls.
//
// It reads the command line (--help lists the flags) and environment variables
// of the same names (--workers is OPERATOR_WORKERS), and finds the cluster as
// kubectl does, or in a Pod by its ServiceAccount. It exits with 0 when told to
// stop, with 2 on a wrong command line, and otherwise with 1 and one line that
// says why.
func Main(controllers func(Manager) ([]Controller, error), options ...Option) {
	process.Main(func(set *process.Options) {
		configured := Options(*set)
		for _, option := range options {
			option(&configured)
		}
		*set = process.Options(configured)
	}, controllers)
}

// Run runs controllers against the API server of config until ctx is done, and
// then lets the reconciles that have begun end. controllers makes them once there is a
// manager. Programs call [Main]; Run is for tests and for what embeds an
// operator.
func Run(ctx context.Context, config *rest.Config, options Options, controllers func(Manager) ([]Controller, error)) error {
	return process.Run(ctx, config, process.Settings{Options: process.Options(options), Program: process.DefaultProgram}, controllers)
}
