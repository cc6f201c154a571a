package main

import (
	"context"
	"fmt"
	"io"
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
PersistentVolumeClaims and namespaces. So does what neither opgen nor kubectl apply put there. A namespace goes
only if opgen deploy created it for this project, and nothing else is left in it.

Before it deletes, the command says how many objects go, and names those that others have made and that go with their
owners. It deletes nothing if a CRD stays whose objects the operator converts, or if data would go with its owner.

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
	_, p, dir, err := deployedProject(args)
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
	plan, err := planRemoval(ctx, s, c, objects, p.Name)
	if err != nil {
		return err
	}
	if !o.output.json() {
		printPlan(s.err, plan)
	}
	if data, err := c.Count(ctx, objects); err == nil { // who may not list the objects gets no warning
		warnOfHeld(s, data)
	}
	report := deploymentReport{Server: c.Server, Dependents: plan.Dependents, Changes: plan.Changes}
	if !o.dryRun {
		report.Changes, err = o.remove(ctx, s, c, plan)
	}
	return o.report(s, report, err)
}

func planRemoval(ctx context.Context, s streams, c *deployment.Cluster, objects []*deployment.Object, name string) (*deployment.RemovalPlan, error) {
	defer showProgress(s.err, "looking at what goes")()
	return c.PlanRemoval(ctx, objects, name)
}

func (o *undeployOptions) remove(ctx context.Context, s streams, c *deployment.Cluster, plan *deployment.RemovalPlan) ([]deployment.Change, error) {
	defer showProgress(s.err, "removing the operator")()
	return c.Remove(ctx, plan, o.timeout)
}

// printPlan prints how many objects go, and the names of those that hold data and that no manifest
// names.
func printPlan(w io.Writer, plan *deployment.RemovalPlan) {
	goes := 0
	for _, change := range plan.Changes {
		if change.Action == deployment.Deleted {
			goes++
		}
	}
	if goes == 0 {
		return
	}
	fmt.Fprintf(w, "%s of the manifests to delete", agree(goes, "object", "objects"))
	if len(plan.Dependents) > 0 {
		fmt.Fprintf(w, ", and with them %s that they own", agree(len(plan.Dependents), "object", "objects"))
	}
	fmt.Fprintln(w)
	for _, each := range plan.Dependents {
		if each.Data {
			fmt.Fprintf(w, "to delete   %s: its owner goes\n", each.Title())
		}
	}
}
