package main

import (
	"os"
	"strings"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/spf13/cobra"
)

func newClusterKubectl(s streams) *cobra.Command {
	name := instanceName{cluster.DefaultName}
	cmd := &cobra.Command{
		Use:   "kubectl [--name NAME] ARG...",
		Short: "Run the control plane's kubectl",
		Long: `Runs kubectl with its arguments, standard streams and exit code. It talks to the instance of --name, which
must come first; without --name it talks to the cluster of $KUBECONFIG when that is set.`,
		Example: `  opgen cluster kubectl get namespaces
  opgen cluster kubectl apply -k deploy`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			given, rest, err := leadingName(args)
			if err != nil {
				return err
			}
			if len(rest) == 1 && (rest[0] == "--help" || rest[0] == "-h") {
				return cmd.Help()
			}
			environment := os.Environ()
			if given != "" || os.Getenv("KUBECONFIG") == "" {
				if given != "" {
					name.name = given
				}
				instance, err := name.find()
				if err != nil {
					return err
				}
				environment = append(environment, "KUBECONFIG="+instance.Kubeconfig())
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
			return assets.Exec(rest, environment)
		},
	}
	return cmd
}

// leadingName takes --name NAME or --name=NAME from the front of kubectl's arguments.
func leadingName(args []string) (string, []string, error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	if name, ok := strings.CutPrefix(args[0], "--name="); ok {
		return name, args[1:], nil
	}
	if args[0] != "--name" {
		return "", args, nil
	}
	if len(args) == 1 {
		return "", nil, usagef("--name: give a name")
	}
	return args[1], args[2:], nil
}
