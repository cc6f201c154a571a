package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
)

func newClusterKubectl(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl [--name NAME] ARG...",
		Short: "Run the control plane's kubectl",
		Long: `Runs kubectl with its arguments, standard streams and exit code. It talks to the instance of --name, which
must come first; without --name it talks to the cluster of $KUBECONFIG when that is set, else to the instance
"default".`,
		Example: `  opgen cluster kubectl get namespaces
  opgen cluster kubectl apply -k deploy`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, args, err := leadingName(args)
			if err != nil {
				return err
			}
			if len(args) == 1 && args[0] == "--help" {
				return cmd.Help()
			}
			if err := name.choose(); err != nil {
				return err
			}
			cache, err := cluster.DefaultCache()
			if err != nil {
				return err
			}
			display := newProgressDisplay(s.err)
			assets, err := cluster.Build(cmd.Context(), cache, display.show)
			display.finish()
			if err != nil {
				return err
			}
			return assets.Exec(args, os.Environ())
		},
	}
}

// leadingName takes --name NAME or --name=NAME from the front of kubectl's arguments.
func leadingName(args []string) (instanceName, []string, error) {
	if len(args) == 0 {
		return instanceName{}, nil, nil
	}
	if name, ok := strings.CutPrefix(args[0], "--name="); ok {
		return instanceName{name}, args[1:], nil
	}
	if args[0] != "--name" {
		return instanceName{}, args, nil
	}
	if len(args) == 1 {
		return instanceName{}, nil, usagef("--name: give a name")
	}
	return instanceName{args[1]}, args[2:], nil
}

// choose points KUBECONFIG to the instance, unless there is no name and the user has pointed it elsewhere.
func (n instanceName) choose() error {
	if n.name == "" {
		if os.Getenv("KUBECONFIG") != "" {
			return nil
		}
		n.name = cluster.DefaultName
	}
	instance, err := n.find()
	if err != nil {
		return err
	}
	return os.Setenv("KUBECONFIG", instance.Kubeconfig())
}
