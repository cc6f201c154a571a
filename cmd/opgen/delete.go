package main

import "github.com/spf13/cobra"

func newDelete(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete",
		Short: "Take away from a project",
		Args:  needsSubcommand,
		RunE:  runNothing,
	}
	cmd.AddCommand(newDeleteAPI(s), newDeleteController(s))
	return cmd
}
