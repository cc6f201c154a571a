package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
)

// undeployOptions are the flags of opgen undeploy.
type undeployOptions struct {
	deploymentOptions
	remote  remoteFlag
	timeout time.Duration
}

func newUndeploy(s streams) *cobra.Command {
	var o undeployOptions
	cmd := &cobra.Command{
		Use:   "undeploy [DIR]",
		Short: "Take the operator out of a cluster, and keep the users' data",
		Long: `Render the kustomization in DIR, by default deploy/ of the project, and delete its objects from a cluster, the
operator's Deployment before its permissions. What may hold users' data stays: the CRDs, objects of their kinds,
PersistentVolumeClaims, and namespaces. The operator's own namespace goes, too, if nothing else is left in it.

Objects with a finalizer cannot be deleted while their operator is gone; the command warns of them.

` + onlyLocal + `

` + whichCluster,
		Example: `  opgen undeploy
  opgen undeploy overlays/staging --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) },
	}
	o.addFlags(cmd)
	o.remote.addFlag(cmd)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long the Pods and the namespace may take to go")
	return cmd
}

func (o *undeployOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.output.checkFormat(); err != nil {
		return err
	}
	p, dir, err := deployedProject(args)
	if err != nil {
		return err
	}
	objects, err := o.remote.render(dir, deployment.Image{})
	if err != nil {
		return project.InputErrorf("%w", err)
	}
	c, err := o.connect(ctx, s)
	if err != nil {
		return err
	}
	o.begin(s, c)
	changes, err := o.remove(ctx, s, c, objects, p.Name)
	if err := o.report(s, deploymentReport{Server: c.Server, Changes: changes}, err); err != nil {
		return err
	}
	if data, err := c.Count(ctx, objects); err == nil { // who may not list the objects gets no warning
		warnOfHeld(s, data)
	}
	return nil
}

func (o *undeployOptions) remove(ctx context.Context, s streams, c *deployment.Cluster, objects []*deployment.Object, name string) ([]deployment.Change, error) {
	defer showProgress(s.err, "removing the operator")()
	return c.Remove(ctx, objects, deployment.Removal{Project: name, Timeout: o.timeout, DryRun: o.dryRun})
}
