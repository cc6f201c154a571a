package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// dirOptions are the flags of every command that writes its data into a folder when it is asked to.
type dirOptions struct {
	output outputFlag
	dir    string
	dryRun bool
	quiet  bool
}

func (o *dirOptions) addFlags(cmd *cobra.Command, dir string) {
	o.output.addFlag(cmd)
	cmd.Flags().StringVar(&o.dir, "dir", "", dir)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --dir: say what would be written, and write nothing")
	addQuietFlag(cmd, &o.quiet)
}

// dataFile is what a command makes.
type dataFile struct {
	name    string
	content []byte
}

// checkDir refuses a folder that cannot be one.
func (o *dirOptions) checkDir() error {
	info, err := os.Stat(o.dir)
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return project.InputErrorf("--dir %s: is a file, or is below a file: name a folder", o.dir)
	}
	return nil
}

// writeFiles writes files into the folder, and reports those that were written, or would be.
// Those that say the same already are left.
func (o *dirOptions) writeFiles(s streams, files []dataFile, warned spec.Problems) error {
	release, err := o.lockDir(s)
	if err != nil {
		return err
	}
	defer release()
	changes, err := o.diffFiles(files)
	if err != nil {
		return err
	}
	return o.apply(s, changes, warned)
}

// lockDir keeps other opgens out of the folder, if it can be one, until it is released.
func (o *dirOptions) lockDir(s streams) (release func(), err error) {
	if err := o.checkDir(); err != nil {
		return nil, err
	}
	if o.dryRun {
		return func() {}, nil
	}
	held, err := lockFolder(s, o.dir)
	if err != nil {
		return nil, err
	}
	return held.Release, nil
}

// diffFiles compares files with those in the folder, which need not exist.
func (o *dirOptions) diffFiles(files []dataFile) (*tree.Changes, error) {
	named := map[string]bool{}
	list := make([]tree.File, len(files))
	for i, f := range files {
		if named[f.name] {
			return nil, project.InputErrorf("%s: is made more than once", filepath.Join(o.dir, f.name))
		}
		named[f.name] = true
		list[i] = tree.File{Path: f.name, Content: f.content}
	}
	changes, err := tree.Overwrite(os.DirFS(o.dir), list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.dir, err)
	}
	return changes, nil
}

func (o *dirOptions) apply(s streams, changes *tree.Changes, warned spec.Problems) error {
	if !o.dryRun {
		if err := applyChanges(changes, o.dir); err != nil {
			return err
		}
	}
	reports := changeReports(changes.Pending())
	for i := range reports {
		reports[i].Path = filepath.Join(o.dir, reports[i].Path)
	}
	if o.output.json() {
		report := map[string]any{"dryRun": o.dryRun, "changes": reports}
		if len(warned) > 0 {
			report["warnings"] = problemReports(warned)
		}
		return writeJSON(s.out, report)
	}
	printWarnings(s.err, warned)
	if o.quiet {
		return nil
	}
	for _, r := range reports {
		fmt.Fprintf(s.err, "%-7s %s\n", r.Action, r.Path)
	}
	return nil
}
