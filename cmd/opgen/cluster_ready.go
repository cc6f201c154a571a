package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
)

// readyOptions are the flags of opgen cluster ready.
type readyOptions struct {
	instanceName
	namespace string
	timeout   time.Duration
}

func newClusterReady(s streams) *cobra.Command {
	var o readyOptions
	cmd := &cobra.Command{
		Use:   "ready KIND/NAME...",
		Short: "Make objects ready, as nodes would",
		Long: `A control plane without nodes runs no Pods. This writes the status that a node would write, once: a Pod runs and
is ready, the Pods of a Deployment, StatefulSet, DaemonSet or ReplicaSet are, those of a Job have succeeded, a
PersistentVolumeClaim is bound, and a custom resource has the condition Ready=True. It waits until the workload's
controller reports the workload as ready. Pods that are created later stay Pending until you run it again.

Kinds are named as for kubectl. Without --name, it takes the cluster of $KUBECONFIG when that is set, else the
instance "default".`,
		Args: cobra.MinimumNArgs(1),
		Example: `  opgen cluster ready deployment/web
  opgen cluster ready job/migrate pvc/data -n shop`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "name of the instance (default: the one of $KUBECONFIG, or \"default\")")
	cmd.Flags().StringVarP(&o.namespace, "namespace", "n", "", "namespace of the objects (default: that of the kubeconfig)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "how long to wait for the controllers of workloads")
	return cmd
}

func (o *readyOptions) run(ctx context.Context, s streams, names []string) error {
	for _, name := range names {
		if kind, object, ok := strings.Cut(name, "/"); !ok || kind == "" || object == "" {
			return project.InputErrorf("%q: name an object as KIND/NAME, such as deployment/web", name)
		}
	}
	instance, err := o.selectInstance()
	if err != nil {
		return err
	}
	path, err := findKubectl(ctx, s, instance)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	played := cluster.Kubelet{Kubectl: path, Namespace: o.namespace}
	for _, name := range names {
		if err := played.MakeReady(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "%s is ready\n", name)
	}
	return nil
}
