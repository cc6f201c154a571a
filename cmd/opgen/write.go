package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// writeOptions are the flags of every command that writes a project tree.
type writeOptions struct {
	output        outputFlag
	cache         cacheOptions
	dryRun, force bool
	warnings      spec.Problems // of what the project is generated from
}

func (o *writeOptions) addFlags(cmd *cobra.Command) {
	o.output.addFlag(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be written, and write nothing")
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite generated files that were edited by hand")
}

func (o *writeOptions) checkFormat() error { return o.output.checkFormat() }

// quiet reports whether there is nothing to say about what comes next.
func (o *writeOptions) quiet() bool { return o.dryRun || o.output.json() }

// plan renders the project, compares it with the tree in dir and, unless there is a conflict or
// --dry-run, makes the tree so. It reports what it did.
func (o *writeOptions) plan(s streams, dir string, tree fs.FS, in scaffold.Input) (*scaffold.Planned, *tree.Changes, error) {
	planned, changes, err := diffTree(s, dir, tree, in)
	if err != nil {
		return nil, nil, err
	}
	o.warnings = append(planned.Warnings, o.warnings...)
	if o.force {
		changes = changes.Force()
	}
	if conflicts := changes.Conflicts(); len(conflicts) > 0 {
		return nil, nil, reportConflicts(s, o.output, changes)
	}
	if !o.dryRun {
		if err := applyChanges(changes, dir); err != nil {
			return nil, nil, err
		}
	}
	return planned, changes, o.report(s, changes)
}

// diffTree compares the rendered project with the tree in dir, which need not exist.
func diffTree(s streams, dir string, tree fs.FS, in scaffold.Input) (*scaffold.Planned, *tree.Changes, error) {
	source, err := readGo(s, dir, tree, in)
	if err != nil {
		return nil, nil, err
	}
	return diffSource(s, tree, source)
}

// diffSource compares a project whose Go source has been read with its tree.
func diffSource(s streams, tree fs.FS, source scaffold.Source) (*scaffold.Planned, *tree.Changes, error) {
	defer showProgress(s.err, "generating")()
	planned, err := scaffold.Plan(source)
	if err != nil {
		return nil, nil, err
	}
	changes, err := planned.Diff(tree)
	return planned, changes, err
}

// readGo completes an input from the Go source of the project in dir.
func readGo(s streams, dir string, tree fs.FS, in scaffold.Input) (scaffold.Source, error) {
	if in.NeedsGoSource() {
		defer showProgress(s.err, "reading Go packages")()
	}
	return project.ReadGo(dir, tree, in)
}

// changeReport is one change in the output of -o json.
type changeReport struct {
	Path   string      `json:"path"`
	Action tree.Action `json:"action"`
	Reason string      `json:"reason,omitempty"`
	// Template is the author's own template that the file is from.
	Template string `json:"template,omitempty"`
}

func changeReports(changes []tree.Change) []changeReport {
	reports := make([]changeReport, len(changes))
	for i, c := range changes {
		reports[i] = changeReport{Path: c.Path, Action: c.Action, Reason: c.Reason, Template: c.Template}
	}
	return reports
}

// report names every file that was written or removed, or would be, and what there is to warn of.
func (o *writeOptions) report(s streams, changes *tree.Changes) error {
	pending := changes.Pending()
	if o.output.json() {
		report := map[string]any{"dryRun": o.dryRun, "changes": changeReports(pending)}
		if len(o.warnings) > 0 {
			report["warnings"] = problemReports(o.warnings)
		}
		return writeJSON(s.out, report)
	}
	printWarnings(s.err, o.warnings)
	for _, c := range pending {
		fmt.Fprintf(s.err, "%-7s %s\n", c.Action, c.Path)
	}
	switch {
	case len(pending) == 0:
		fmt.Fprintln(s.err, "up to date")
	case o.dryRun:
		fmt.Fprintln(s.err, "dry run: nothing was written")
	}
	return nil
}

// reportConflicts names the files that keep the command from writing anything.
func reportConflicts(s streams, out outputFlag, changes *tree.Changes) error {
	conflicts := changes.Conflicts()
	if out.json() {
		return errors.Join(writeJSON(s.out, map[string]any{"conflicts": changeReports(conflicts)}), errReported)
	}
	for _, c := range conflicts {
		fmt.Fprintf(s.err, "conflict %s: %s\n", c.Path, c.Reason)
	}
	fmt.Fprintln(s.err, "nothing was written; move your change to a file of your own, or overwrite it with --force")
	return errReported
}
