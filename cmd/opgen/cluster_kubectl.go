package main

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
)

func newClusterKubectl(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl [--name NAME] ARG...",
		Short: "Run the control plane's kubectl",
		Long: `Runs kubectl with its arguments, standard streams and exit code. It talks to the instance of --name, which
must come first; without --name it talks to the cluster of $KUBECONFIG when that is set, else to the instance
"default".

The kubectl is the first of: the one in the folder of the instance's executables, the one in $KUBEBUILDER_ASSETS, the one
that "opgen cluster up" has built before, the one on the PATH. Where there is none of these, it is built.`,
		Example: `  opgen cluster kubectl get namespaces
  opgen cluster kubectl apply -k deploy`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, args, err := takeName(args)
			if err != nil {
				return err
			}
			if len(args) == 1 && args[0] == "--help" {
				return cmd.Help()
			}
			instance, err := name.selectInstance()
			if err != nil {
				return err
			}
			path, err := findKubectl(cmd.Context(), s, instance)
			if err != nil {
				return err
			}
			return cluster.ExecKubectl(path, args, os.Environ())
		},
	}
}

// takeName takes --name NAME or --name=NAME from the front of kubectl's arguments. The flag is only
// recognized there, because any later --name may be kubectl's.
func takeName(args []string) (instanceName, []string, error) {
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
		return instanceName{}, nil, project.InputErrorf("--name: give a name")
	}
	return instanceName{args[1]}, args[2:], nil
}

// selectInstance returns the instance that kubectl talks to, and sets kubectl's variables for it.
// It returns nil if no name is given and $KUBECONFIG is that of another cluster.
func (n instanceName) selectInstance() (*cluster.Instance, error) {
	instance, err := n.findInstance()
	if err != nil || instance == nil {
		return nil, err
	}
	if os.Getenv("KUBECACHEDIR") == "" {
		// Each start picks other ports, so tomorrow another instance may have this address.
		// kubectl caches what it learned by address: the cache is kept in the instance's folder,
		// and is deleted with it.
		if err := os.Setenv("KUBECACHEDIR", instance.KubectlCache()); err != nil {
			return nil, err
		}
	}
	return instance, os.Setenv("KUBECONFIG", instance.Kubeconfig())
}

// findInstance returns the instance of --name, or of $KUBECONFIG, or the default one, in this
// order.
func (n instanceName) findInstance() (*cluster.Instance, error) {
	if n.name != "" {
		return n.findRunning()
	}
	kubeconfig := os.Getenv("KUBECONFIG")
	if kubeconfig == "" {
		n.name = cluster.DefaultName
		return n.findRunning()
	}
	state, err := cluster.DefaultStateDir()
	if err != nil {
		return nil, err
	}
	return cluster.FindByKubeconfig(state, kubeconfig)
}

// findKubectl returns the path of an existing kubectl. It builds one only if there is none, since
// that takes minutes.
func findKubectl(ctx context.Context, s streams, instance *cluster.Instance) (string, error) {
	cache, err := cluster.DefaultCache()
	if err != nil {
		return "", err
	}
	if instance != nil {
		if path, found := (cluster.Assets{Dir: instance.Assets}).Kubectl(); found {
			return path, nil
		}
	}
	if dir := assetsFromEnvironment(cache); dir != "" {
		if path, found := (cluster.Assets{Dir: dir}).Kubectl(); found {
			return path, nil
		}
	}
	if built, exist, err := cluster.LookUp(ctx, cache, cluster.Version); err == nil && exist {
		path, _ := built.Kubectl()
		return path, nil
	}
	if path, err := exec.LookPath("kubectl"); err == nil {
		return path, nil
	}
	return buildKubectl(ctx, s, cache)
}

func buildKubectl(ctx context.Context, s streams, cache cluster.Cache) (string, error) {
	display := newProgressDisplay(s.err, cluster.Version)
	assets, err := cluster.Build(ctx, cache, cluster.Version, display.show)
	display.finish()
	path, _ := assets.Kubectl()
	return path, err
}
