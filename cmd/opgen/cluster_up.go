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
	output
	buildOnly, dryRun bool
}

// upReport is what opgen cluster up -o json prints.
type upReport struct {
	*cluster.Instance
	Existed    bool   `json:"existed"` // it ran already
	Kubeconfig string `json:"kubeconfig"`
	AuditLog   string `json:"auditLog"`
}

func newClusterUp(s streams) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a local control plane, building it on first use",
		Args:  cobra.NoArgs,
		Example: `  opgen cluster up
  eval "$(opgen cluster env)"
  opgen cluster up --name second -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.instanceName.addFlag(cmd)
	o.output.addFlag(cmd)
	cmd.Flags().BoolVar(&o.buildOnly, "build-only", false, "build the binary into the cache and start nothing")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and do nothing")
	return cmd
}

func (o *upOptions) run(ctx context.Context, s streams) error {
	if err := o.output.check(); err != nil {
		return err
	}
	if err := o.instanceName.check(); err != nil {
		return err
	}
	cache, err := cluster.DefaultCache()
	if err != nil {
		return err
	}
	state, err := cluster.DefaultState()
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.plan(ctx, s, cache, state)
	}
	display := newProgressDisplay(s.err)
	if o.buildOnly {
		assets, err := cluster.Build(ctx, cache, display.show)
		display.finish()
		if err != nil {
			return err
		}
		return o.reportBuild(s, assets)
	}
	begin := time.Now()
	outcome, err := cluster.Up(ctx, cluster.Options{Name: o.name, Cache: cache, State: state, Progress: display.show})
	display.finish()
	if err != nil {
		return err
	}
	return o.report(s, outcome, time.Since(begin))
}

// plan says what would be built and started.
func (o *upOptions) plan(ctx context.Context, s streams, cache cluster.Cache, state cluster.State) error {
	plan, err := cluster.PlanUp(ctx, cluster.Options{Name: o.name, Cache: cache, State: state})
	if err != nil {
		return err
	}
	if o.json() {
		return writeJSON(s.out, plan)
	}
	if plan.Build {
		fmt.Fprintf(s.err, "would build Kubernetes %s into %s\n", cluster.Version, plan.Assets)
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

func (o *upOptions) reportBuild(s streams, assets cluster.Assets) error {
	if o.json() {
		return writeJSON(s.out, assets)
	}
	fmt.Fprintf(s.err, "Kubernetes %s is built in %s\n", assets.Version, assets.Dir)
	return nil
}

func (o *upOptions) report(s streams, outcome *cluster.Outcome, took time.Duration) error {
	if len(outcome.Gone) > 0 {
		fmt.Fprintf(s.err, "cluster %q was broken (%s had ended) and is started anew\n", o.name, strings.Join(outcome.Gone, ", "))
	}
	if o.json() {
		return writeJSON(s.out, upReport{outcome.Instance, outcome.Existed, outcome.Kubeconfig(), outcome.AuditLog()})
	}
	if outcome.Existed {
		fmt.Fprintf(s.err, "cluster %q is running already at %s\n", o.name, outcome.Server)
		return nil
	}
	fmt.Fprintf(s.err, "cluster %q (Kubernetes %s) is ready at %s after %.1f s\n", o.name, outcome.Version, outcome.Server, took.Seconds())
	environment := "opgen cluster env"
	if o.name != cluster.DefaultName {
		environment += " --name " + o.name
	}
	fmt.Fprintf(s.err, "    use it with: eval \"$(%s)\"\n", environment)
	return nil
}
