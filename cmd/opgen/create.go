package main

import "github.com/spf13/cobra"

func newCreate(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Add to a project",
		Args:  needsSubcommand,
		RunE:  runNothing,
	}
	cmd.AddCommand(newCreateAPI(s))
	return cmd
}

// needsSubcommand refuses a group of commands that is called by itself or with a name that it does not have.
func needsSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s: name what", cmd.CommandPath())
	}
	return usagef("%s: unknown command %q", cmd.CommandPath(), args[0])
}

func runNothing(*cobra.Command, []string) error { return nil }
