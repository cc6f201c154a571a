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
type clusterAccess struct{ kubeconfig, context string }

// whichCluster is what the help of such a command says about them.
const whichCluster = `The cluster is that of $KUBECONFIG, else the instance "default" of opgen cluster if it runs, else that of
~/.kube/config.`

func (a *clusterAccess) addFlags(cmd *cobra.Command) {
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

// path returns the path of the kubeconfig, or "" where client-go finds it.
func (a *clusterAccess) path() (string, error) {
	if a.kubeconfig != "" || a.context != "" || os.Getenv("KUBECONFIG") != "" {
		return a.kubeconfig, nil
	}
	instance, err := instanceName{}.findInstance()
	if errors.Is(err, cluster.ErrNotRunning) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return instance.Kubeconfig(), nil
}
