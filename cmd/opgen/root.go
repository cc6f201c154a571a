package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/opgen-dev/opgen/internal/project"
)

// streams are where a command reads and writes: data goes to out, reports and errors go to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes one command line and returns the exit code of the process.
func run(args []string, s streams) int {
	return untilInterrupted(s, func(ctx context.Context) int {
		root := newRoot(s)
		root.SetArgs(args)
		cmd, err := root.ExecuteContextC(ctx)
		if err != nil && !errors.Is(err, errReported) {
			reportError(s, cmd, args, err)
		}
		return exitCode(err)
	})
}

// newRoot builds the command tree.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "opgen",
		Short: "From a spec file to a running Kubernetes operator",
		Long: `opgen turns the spec file of a Kubernetes operator into a project that runs: typed Go API,
CustomResourceDefinition, RBAC, manifests, tests and a Sync function to fill in.

Flags can be given a default by an environment variable (OPGEN_DOMAIN, or for one command alone
OPGEN_INIT_DOMAIN) or by the user's config file (the key domain, or init.domain). Flags that decide what is
deleted, overwritten or published, or in which cluster, have none: such as --confirm, --force and --push.

Exit codes: 0 done, 1 differences or findings, 2 invalid input or usage, 3 anything else.`,
		Example: `  opgen init echo-operator --module example.com/echo-operator --domain example.com
  opgen create api -f echoserver.yaml
  opgen cluster up`,
		Args:              cobra.ArbitraryArgs,
		RunE:              runRoot,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applyDefaults(cmd) },
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		args := cmd.Flags().Args()
		if len(args) > 0 && (cmd.HasSubCommands() || insteadOf(cmd, args) != "") {
			return unknownCommand(cmd, args) // the flag is one of a command that does not exist
		}
		var invalid *pflag.InvalidValueError
		if errors.As(err, &invalid) {
			err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), explainValue(err))
		}
		return project.InputErrorf("%w\n    see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newInit(s),
		newCreate(s),
		newGenerate(s),
		newUpgrade(s),
		newDiff(s),
		newCheck(s),
		newImport(s),
		newCRD(s),
		newSchema(s),
		newDelete(s),
		newImage(s),
		newPackage(s),
		newInstall(s),
		newUninstall(s),
		newDeploy(s),
		newUndeploy(s),
		newCluster(s),
		newVersion(s),
	)
	refineCompletion(root)
	completeFlags(root)
	wrapArgumentErrors(root)
	return root
}

// refineCompletion gives cobra's completion command the same error as every other group of commands
// if the name of the shell is missing.
func refineCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = needsSubcommand, runNothing
		}
	}
}

// wrapArgumentErrors makes the errors that cobra finds in arguments into InputErrors that name
// --help, so that they have exit code 2.
func wrapArgumentErrors(cmd *cobra.Command) {
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, given []string) error {
			err := args(cmd, given)
			switch {
			case err == nil:
				return nil
			case errors.As(err, new(project.InputError)): // it has a hint already
				return err
			case insteadOf(cmd, given) != "":
				return unknownCommand(cmd, given)
			}
			return project.InputErrorf("%w\n    see %s --help", err, cmd.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgumentErrors(sub)
	}
}

// runRoot prints the help. An argument is the name of an unknown command, and an error.
func runRoot(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args)
}

// unknownCommand returns the error of a command that cmd does not have: the first of the words after
// it.
func unknownCommand(cmd *cobra.Command, args []string) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	if instead := insteadOf(cmd, args); instead != "" {
		hint = instead
	}
	if cmd.HasParent() {
		return project.InputErrorf("%s: unknown command %q\n    %s", cmd.CommandPath(), args[0], hint)
	}
	return project.InputErrorf("unknown command %q\n    %s", args[0], hint)
}
