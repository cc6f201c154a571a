package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/tree"
)

func newUpgrade(s streams) *cobra.Command {
	var o upgradeOptions
	cmd := &cobra.Command{
		Use:   "upgrade [VERSION]",
		Short: "Move the project to another release of opgen",
		Long: `Move the project to a newer release of opgen, the newest one if no version is named: raise go.mod and tools.mod, and
regenerate. The release itself does that; it is built first if it is not the opgen that runs.

Of the files that are yours, those that you have left as the old opgen made them are replaced. Where you have changed
one that the new opgen makes otherwise, the file stays, and what is new in it goes to standard output as a diff, for
patch -p1. Then the project is compiled with its tests, and each error is named. The exit code is 1 if there
is one.

Nothing is written if versions cannot be found, a spec file has an error or a generated file was edited by hand.`,
		Example: `  opgen upgrade --dry-run
  opgen upgrade
  opgen upgrade v0.2.0 | patch -p1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.write.checkFormat(); err != nil {
				return err
			}
			return o.run(cmd, s, append(args, "latest")[0])
		},
	}
	o.write.addFlags(cmd)
	return cmd
}

// upgradeOptions are the flags of opgen upgrade.
type upgradeOptions struct{ write writeOptions }

// run has the release that a query stands for upgrade the project.
func (o *upgradeOptions) run(cmd *cobra.Command, s streams, query string) error {
	dir, err := project.Find()
	if err != nil {
		return err
	}
	from, err := project.RequiredOpgen(dir)
	if err != nil {
		return err
	}
	own := readVersion().Version
	to := query
	if query != own {
		if to, err = findRelease(cmd.Context(), s, query); err != nil {
			return err
		}
	}
	if err := project.CheckUpgrade(from, to); err != nil {
		return err
	}
	if to != own {
		return runRelease(cmd, s, to)
	}
	return o.upgrade(cmd.Context(), s, dir, from, to)
}

func findRelease(ctx context.Context, s streams, query string) (string, error) {
	defer showProgress(s.err, "looking up opgen "+query)()
	return project.FindRelease(ctx, query)
}

// runRelease builds another opgen, which upgrades the project with the same flags.
func runRelease(cmd *cobra.Command, s streams, version string) error {
	bin, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	done := showProgress(s.err, "building opgen "+version)
	path, err := project.BuildRelease(cmd.Context(), version, bin)
	done()
	if err != nil {
		return err
	}
	args := []string{"upgrade", version}
	cmd.Flags().Visit(func(f *pflag.Flag) { args = append(args, "--"+f.Name+"="+f.Value.String()) })
	other := exec.CommandContext(cmd.Context(), path, args...)
	other.Stdin, other.Stdout, other.Stderr = s.in, s.out, s.err
	err = other.Run()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		return errEnded{ended.ExitCode()}
	}
	return err
}

// upgrade moves the project to the opgen that runs.
func (o *upgradeOptions) upgrade(ctx context.Context, s streams, dir, from, to string) error {
	held, err := lockFolder(s, dir)
	if err != nil {
		return err
	}
	defer held.Release()
	p, err := project.NoRecord(dir).Load(to)
	if err != nil {
		return err
	}
	u := upgrade{from: from, to: to, dir: dir}
	defer func() { u.module.Remove() }()
	if err := u.plan(ctx, s, p); err != nil {
		return err
	}
	o.write.warnings = slices.Concat(u.planned.Warnings, p.Warnings())
	if o.write.force {
		u.changes = u.changes.Force()
	}
	if len(u.changes.Conflicts()) > 0 {
		return reportConflicts(s, o.write.output, u.changes)
	}
	if err := u.compareAuthors(ctx, s); err != nil {
		return err
	}
	if !o.write.dryRun {
		if err := u.apply(ctx, s); err != nil {
			return err
		}
	}
	return o.report(s, &u)
}

// upgrade is a project on its way to another opgen.
type upgrade struct {
	dir, from, to string
	module        project.Raised // go.mod and go.sum
	tools         *tree.Changes  // tools.mod and tools.sum
	planned       *scaffold.Planned
	changes       *tree.Changes // to what is generated
	authors       authorChanges
	errors        []project.CompileError
}

// plan finds the versions of modules, and what is generated with them. What is generated can need other modules than
// before, so the versions are found twice.
func (u *upgrade) plan(ctx context.Context, s streams, p *project.Project) error {
	files := map[string][]byte{}
	for range 2 {
		done := showProgress(s.err, "raising versions in go.mod as far as opgen needs them")
		module, err := project.UpgradeModule(ctx, u.dir, p.Tool, files)
		done()
		if err != nil {
			return err
		}
		u.module.Remove()
		u.module = module
		in := p.Input()
		in.ModFile = module.ModFile
		if u.planned, u.changes, err = diffTree(s, u.dir, p.Tree, in); err != nil {
			return err
		}
		changed := u.changes.GoFiles()
		if len(changed) == 0 {
			break
		}
		files = changed
	}
	defer showProgress(s.err, "raising versions in tools.mod")()
	var err error
	u.tools, err = project.UpgradeTools(ctx, u.dir, p.Tool)
	return err
}

// apply writes, and compiles the project. It writes tools.mod last, which says what the project generates with: the same
// command does all of it again for a project whose upgrade was stopped. The author's files come before opgen.lock.
func (u *upgrade) apply(ctx context.Context, s streams) error {
	if err := applyChanges(u.module.Changes, u.module.Module.Dir); err != nil {
		return err
	}
	for _, changes := range []*tree.Changes{u.authors.replaced, u.changes} {
		if err := applyChanges(changes, u.dir); err != nil {
			return err
		}
	}
	if err := u.compile(ctx, s); err != nil {
		return err
	}
	return applyChanges(u.tools, u.dir)
}

// compile finds the errors of the compiler, unless what is in vendor/ is of the old versions.
func (u *upgrade) compile(ctx context.Context, s streams) error {
	if vendorStep(u.module.Module.Dir) != "" {
		return nil
	}
	defer showProgress(s.err, "compiling")()
	var err error
	u.errors, err = project.Compile(ctx, u.dir)
	return err
}
