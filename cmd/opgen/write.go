package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

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
	quiet         bool
	more          map[string]any // what else -o json reports
	warnings      spec.Problems  // of what the project is generated from
}

func (o *writeOptions) addFlags(cmd *cobra.Command) {
	o.output.addFlag(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be written, and write nothing")
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite generated files that were edited by hand, and what is in the place of one")
	addQuietFlag(cmd, &o.quiet)
}

func (o *writeOptions) checkFormat() error { return o.output.checkFormat() }

// namesNextStep reports whether the command says what its user does next.
func (o *writeOptions) namesNextStep() bool { return !o.dryRun && o.reportsChanges() }

// reportsChanges reports whether the command says in words what it did.
func (o *writeOptions) reportsChanges() bool { return !o.quiet && !o.output.json() }

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
	return planned, changes, o.report(s, changes.Pending())
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
func (o *writeOptions) report(s streams, pending []tree.Change) error {
	if o.output.json() {
		report := map[string]any{"dryRun": o.dryRun, "changes": changeReports(pending)}
		maps.Copy(report, o.more)
		if len(o.warnings) > 0 {
			report["warnings"] = problemReports(o.warnings)
		}
		return writeJSON(s.out, report)
	}
	printWarnings(s.err, o.warnings)
	if o.quiet {
		return nil
	}
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
	fmt.Fprintln(s.err, "nothing was written; "+conflictHint(conflicts))
	return errReported
}

// conflictHint returns what to do about conflicts, by what their files are.
func conflictHint(conflicts []tree.Change) string {
	edited := 0
	for _, c := range conflicts {
		if c.IsEdited() {
			edited++
		}
	}
	switch edited {
	case len(conflicts):
		return "move your change to a file of your own, or overwrite it with --force"
	case 0:
		return "move or remove what is there, or overwrite it with --force"
	}
	return "move your change to a file of your own, move or remove what opgen did not write, or overwrite both with --force"
}
