package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newCreate(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Add to a project",
		Args:  needsSubcommand,
		RunE:  runNothing,
	}
	cmd.AddCommand(newCreateAPI(s), newCreateController(s))
	return cmd
}

// needsSubcommand refuses a group of commands without a subcommand, or with an unknown one.
func needsSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		var names []string
		for _, sub := range cmd.Commands() {
			names = append(names, sub.Name())
		}
		return fmt.Errorf("%s: give one of its commands: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
	return unknownCommand(cmd, args)
}

func runNothing(*cobra.Command, []string) error { return nil }
