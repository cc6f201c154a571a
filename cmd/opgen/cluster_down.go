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
	all, dryRun bool
}

func newClusterDown(s streams) *cobra.Command {
	var o downOptions
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a local control plane and remove everything of it",
		Args:  cobra.NoArgs,
		Example: `  opgen cluster down
  opgen cluster down --all`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.addFlag(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "every instance")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and do nothing")
	cmd.MarkFlagsMutuallyExclusive("name", "all")
	return cmd
}

func (o *downOptions) run(ctx context.Context, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	state, err := cluster.DefaultState()
	if err != nil {
		return err
	}
	list, err := cluster.List(state)
	if err != nil {
		return err
	}
	var mistakes []error
	found := false
	for _, instance := range list {
		if !o.all && instance.Name != o.name {
			continue
		}
		found = true
		mistakes = append(mistakes, o.remove(ctx, s, state, instance))
	}
	switch {
	case found:
	case o.all:
		fmt.Fprintln(s.err, "no cluster is running")
	default:
		fmt.Fprintf(s.err, "cluster %q is not running\n", o.name)
	}
	return errors.Join(mistakes...)
}

func (o *downOptions) remove(ctx context.Context, s streams, state cluster.State, instance cluster.Status) error {
	if o.dryRun {
		fmt.Fprintf(s.err, "would stop cluster %q and remove %s\n", instance.Name, instance.Dir)
		return nil
	}
	existed, err := cluster.Down(ctx, state, instance.Name)
	if err != nil {
		return err
	}
	if existed {
		fmt.Fprintf(s.err, "cluster %q is gone\n", instance.Name)
	}
	return nil
}
