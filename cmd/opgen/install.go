package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
)

// installOptions are the flags of opgen install.
type installOptions struct {
	deploymentOptions
	force bool
}

func newInstall(s streams) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the project's CRDs into a cluster",
		Long: `Apply the CRDs of the project, deploy/zz_generated.crd.yaml, to a cluster, and wait until the API server serves
their kinds. It does what kubectl apply --server-side does, with the same field manager, and needs no kubectl.

` + whichCluster,
		Example: `  opgen install
  opgen install --context staging --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.addFlags(cmd)
	addForceConflictsFlag(cmd, &o.force)
	return cmd
}

func addForceConflictsFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force-conflicts", false, "take fields over from other field managers, such as a person's kubectl edit, and objects that others made")
}

func (o *installOptions) run(ctx context.Context, s streams) error {
	if err := o.output.checkFormat(); err != nil {
		return err
	}
	crds, err := readCRDManifest(s, "install")
	if err != nil || crds == nil {
		return err
	}
	c, err := o.connect(ctx, s)
	if err != nil {
		return err
	}
	o.begin(s, c)
	defer showProgress(s.err, "installing the CRDs")()
	changes, err := c.Apply(ctx, crds, deployment.ApplyOptions{DryRun: o.dryRun, ForceConflicts: o.force})
	return o.report(s, deploymentReport{Server: c.Server, Changes: changes}, err)
}

// readCRDManifest returns the CRDs of the project of the working directory. If it has none, it says
// so.
func readCRDManifest(s streams, verb string) ([]*deployment.Object, error) {
	dir, err := project.Find()
	if err != nil {
		return nil, err
	}
	crds, err := deployment.ReadFile(dir, scaffold.CRDPath)
	if err == nil && len(crds) == 0 {
		fmt.Fprintf(s.err, "the project has no CRDs to %s\n", verb)
	}
	return crds, err
}
