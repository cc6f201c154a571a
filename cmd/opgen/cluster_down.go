package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// downOptions are the flags of opgen cluster down.
type downOptions struct {
	instanceName
	output      outputFlag
	all, dryRun bool
}

// downReport is what opgen cluster down has done, or would do.
type downReport struct {
	DryRun  bool     `json:"dryRun"`
	Stopped []string `json:"stopped"` // names of instances
}

func newClusterDown(s streams) *cobra.Command {
	var o downOptions
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a local cluster and remove everything of it",
		Args:  cobra.NoArgs,
		Example: `  opgen cluster down
  opgen cluster down --all`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.addFlag(cmd)
	o.output.addFlag(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "every instance")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and do nothing")
	cmd.MarkFlagsMutuallyExclusive("name", "all")
	return cmd
}

func (o *downOptions) run(ctx context.Context, s streams) error {
	if err := errors.Join(o.checkName(), o.output.checkFormat()); err != nil {
		return err
	}
	state, err := cluster.DefaultStateDir()
	if err != nil {
		return err
	}
	list, err := cluster.List(state)
	if err != nil {
		return err
	}
	report := downReport{DryRun: o.dryRun, Stopped: []string{}}
	var errs []error
	for _, instance := range list {
		if !o.all && instance.Name != o.name {
			continue
		}
		existed, err := true, error(nil)
		if !o.dryRun {
			existed, err = cluster.Down(ctx, state, instance.Name)
		}
		errs = append(errs, err)
		if existed && err == nil {
			report.Stopped = append(report.Stopped, instance.Name)
		}
	}
	return errors.Join(append(errs, o.report(s, report))...)
}

// report prints the names of what was stopped, or with --dry-run of what would be.
func (o *downOptions) report(s streams, report downReport) error {
	if o.output.json() {
		return writeJSON(s.out, report)
	}
	what := "cluster %q is gone\n"
	if o.dryRun {
		what = "would stop cluster %q and remove everything of it\n"
	}
	for _, name := range report.Stopped {
		fmt.Fprintf(s.err, what, name)
	}
	switch {
	case len(report.Stopped) > 0:
	case o.all:
		fmt.Fprintln(s.err, "no cluster is running")
	default:
		fmt.Fprintf(s.err, "cluster %q is not running\n", o.name)
	}
	return nil
}
