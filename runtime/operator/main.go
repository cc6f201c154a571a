package operator

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
)

// Main runs the controllers of a project until the process is told to stop.
// It is all that a generated main function calls.
func Main(controllers func(Manager) ([]Controller, error), options ...Option) {
	var o Options
	for _, option := range options {
		option(&o)
	}
	if err := Run(context.Background(), nil, o, controllers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Run runs controllers against the API server of config until ctx is done.
func Run(ctx context.Context, config *rest.Config, options Options, controllers func(Manager) ([]Controller, error)) error {
	return nil
}
