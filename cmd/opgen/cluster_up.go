package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// upOptions are the flags of opgen cluster up.
type upOptions struct {
	instanceName
	output            outputFlag
	assets            assetsFlag
	buildOnly, dryRun bool
}

func newClusterUp(s streams) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a local control plane, building it on first use",
		Long: `Starts etcd, kube-apiserver and kube-controller-manager on loopback and returns when they are ready. An
instance that runs is left as it is.

The executables are built on first use, unless --assets or $KUBEBUILDER_ASSETS names a directory that has
etcd and kube-apiserver: then nothing is built. Without a kube-controller-manager in that directory, the
instance runs without controllers, and the command says so.`,
		Args: cobra.NoArgs,
		Example: `  opgen cluster up
  eval "$(opgen cluster env)"
  opgen cluster up --name second -o json
  opgen cluster up --assets "$(setup-envtest use -p path)"`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.instanceName.addFlag(cmd)
	o.output.addFlag(cmd)
	o.assets.addFlag(cmd)
	cmd.Flags().BoolVar(&o.buildOnly, "build-only", false, "make sure that the executables are there and start nothing")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and do nothing")
	return cmd
}

func (o *upOptions) run(cmd *cobra.Command, s streams) error {
	up, err := o.options(cmd)
	if err != nil {
		return err
	}
	display := newProgressDisplay(s.err)
	up.Progress = display.show
	switch {
	case o.dryRun:
		return o.printPlan(cmd.Context(), s, up)
	case o.buildOnly:
		return o.prepareAssets(cmd.Context(), s, up, display)
	}
	begin := time.Now()
	outcome, err := cluster.Up(cmd.Context(), up)
	display.finish()
	if err != nil {
		return err
	}
	return o.report(s, up, outcome, time.Since(begin))
}

// options checks the flags and returns them as options of package cluster.
func (o *upOptions) options(cmd *cobra.Command) (cluster.Options, error) {
	up := cluster.Options{Name: o.name}
	if err := o.output.checkFormat(); err != nil {
		return up, err
	}
	if err := o.instanceName.checkName(); err != nil {
		return up, err
	}
	var err error
	if up.Cache, err = cluster.DefaultCache(); err != nil {
		return up, err
	}
	if up.State, err = cluster.DefaultStateDir(); err != nil {
		return up, err
	}
	up.Assets, err = o.assets.open(cmd.Context(), cmd, up.Cache)
	return up, err
}

// printPlan prints what would be built and started.
func (o *upOptions) printPlan(ctx context.Context, s streams, up cluster.Options) error {
	plan, err := cluster.PlanUp(ctx, up)
	if err != nil {
		return err
	}
	if o.output.json() {
		return writeJSON(s.out, plan)
	}
	if plan.Build {
		fmt.Fprintf(s.err, "would build Kubernetes %s into %s\n", plan.Version, plan.Assets)
	} else {
		fmt.Fprintf(s.err, "would use Kubernetes %s in %s%s\n", plan.Version, plan.Assets, describeMissing(plan.Missing))
	}
	switch {
	case o.buildOnly:
	case plan.Start:
		fmt.Fprintf(s.err, "would start cluster %q in %s\n", o.name, plan.Dir)
	default:
		fmt.Fprintf(s.err, "cluster %q is running already\n", o.name)
	}
	return nil
}

// describeMissing returns a clause about programs that a directory lacks: ", without kubectl".
func describeMissing(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return ", without " + strings.Join(missing, " and ")
}

// prepareAssets builds the executables if they are to be built, and prints where they are.
func (o *upOptions) prepareAssets(ctx context.Context, s streams, up cluster.Options, display *progressDisplay) error {
	assets, what := up.Assets, "is used as it is"
	if assets == (cluster.Assets{}) {
		var err error
		assets, err = cluster.Build(ctx, up.Cache, up.Progress)
		display.finish()
		if err != nil {
			return err
		}
		what = "is built"
	}
	if o.output.json() {
		return writeJSON(s.out, assets)
	}
	fmt.Fprintf(s.err, "Kubernetes %s %s in %s%s\n", assets.Version, what, assets.Dir, describeMissing(assets.Missing()))
	return nil
}
