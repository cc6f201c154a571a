package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
)

// newCluster builds the group of commands for the local Kubernetes.
func newCluster(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Run a local Kubernetes",
		Long: `A real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager) on loopback, without
Docker. The first "opgen cluster up" builds it from Go modules, which takes minutes; after that it starts in
seconds. It has no nodes: Pods are accepted and stay Pending. "opgen cluster up --node" adds a node, on Linux and as
root. Executables that exist can be used instead, with "opgen cluster up --assets DIR".

Binaries are kept in $OPGEN_CACHE (by default in the user's cache directory), instances in $OPGEN_STATE (by
default ~/.local/state/opgen).`,
		Args: needsSubcommand,
		RunE: runNothing,
	}
	cmd.AddCommand(
		newClusterUp(s),
		newClusterDown(s),
		newClusterStatus(s),
		newClusterEnv(s),
		newClusterKubectl(s),
		newClusterReady(s),
		newClusterLoad(s),
	)
	return cmd
}

// instanceName is the flag --name: which instance a command means.
type instanceName struct{ name string }

func (n *instanceName) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.name, "name", cluster.DefaultName, "name of the instance; several can run side by side")
}

func (n *instanceName) checkName() error {
	if err := cluster.CheckName(n.name); err != nil {
		return project.InputError{Err: err}
	}
	return nil
}

// findRunning returns the instance. It returns an error that names the command which starts the
// instance if there is none or it does not run.
func (n *instanceName) findRunning() (*cluster.Instance, error) {
	if err := n.checkName(); err != nil {
		return nil, err
	}
	state, err := cluster.DefaultStateDir()
	if err != nil {
		return nil, err
	}
	instance, err := cluster.Find(state, n.name)
	if errors.Is(err, cluster.ErrNotRunning) {
		return nil, fmt.Errorf("%w: run `%s`", err, n.upCommand())
	}
	return instance, err
}

// upCommand returns the command line that starts the instance, for messages.
func (n *instanceName) upCommand() string { return n.command("up") }

func (n *instanceName) downCommand() string { return n.command("down") }

// command returns the command line of a verb for the instance. It leaves out --name for the default
// name, so that a user who never named an instance reads commands without names.
func (n *instanceName) command(verb string) string {
	if n.name == cluster.DefaultName {
		return "opgen cluster " + verb
	}
	return "opgen cluster " + verb + " --name " + n.name
}
