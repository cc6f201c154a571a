package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
)

// clusterAccess are the flags of commands that talk to a cluster.
type clusterAccess struct {
	kubeconfig, context string

	hasFlags bool // the command has them
}

// whichCluster is what the help of such a command says about them.
const whichCluster = `The cluster is that of $KUBECONFIG, else the instance "default" of opgen cluster, else, if there is no such instance,
that of ~/.kube/config. An instance that does not run is an error.`

func (a *clusterAccess) addFlags(cmd *cobra.Command) {
	a.hasFlags = true
	cmd.Flags().StringVar(&a.kubeconfig, "kubeconfig", "", "the kubeconfig of the cluster (default: see above)")
	cmd.Flags().StringVar(&a.context, "context", "", "the context of the kubeconfig (default: its current one)")
}

// connect connects to the cluster. Warnings of the API server go to standard error.
func (a *clusterAccess) connect(ctx context.Context, s streams) (*deployment.Cluster, error) {
	kubeconfig, err := a.path()
	if err != nil {
		return nil, err
	}
	done := showProgress(s.err, "connecting to the cluster")
	defer done()
	c, err := deployment.Connect(ctx, kubeconfig, a.context, func(text string) { fmt.Fprintf(s.err, "warning: %s\n", text) })
	if errors.Is(err, deployment.ErrNoCluster) {
		return nil, project.InputErrorf("%w\n    set KUBECONFIG to the file of one, or start one with: opgen cluster up", err)
	}
	return c, err
}

// path returns the path of the kubeconfig, or "" where client-go finds it. A local instance that does
// not run is an error: whoever has worked with it means it, and no other cluster.
func (a *clusterAccess) path() (string, error) {
	if a.kubeconfig != "" || a.context != "" || os.Getenv("KUBECONFIG") != "" {
		return a.kubeconfig, nil
	}
	state, err := cluster.DefaultStateDir()
	if err != nil {
		return "", err
	}
	exists, err := cluster.Exists(state, cluster.DefaultName)
	if err != nil || !exists {
		return "", err
	}
	instance, err := cluster.Find(state, cluster.DefaultName)
	if err != nil {
		return "", fmt.Errorf("%w\n    start it with: opgen cluster up; forget it with: opgen cluster down; or name another cluster with %s", err, a.otherWays())
	}
	return instance.Kubeconfig(), nil
}

// otherWays names how the command is told which cluster it takes.
func (a *clusterAccess) otherWays() string {
	if a.hasFlags {
		return "--kubeconfig or KUBECONFIG"
	}
	return "KUBECONFIG"
}
