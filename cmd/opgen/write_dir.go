package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/scaffold"
)

// dirOptions are the flags of every command that writes its data into a folder when it is asked to.
type dirOptions struct {
	output output
	dir    string
	dryRun bool
}

func (o *dirOptions) addFlags(cmd *cobra.Command, dir string) {
	o.output.addFlag(cmd)
	cmd.Flags().StringVar(&o.dir, "dir", "", dir)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --dir: say what would be written, and write nothing")
}

// dataFile is what a command makes.
type dataFile struct {
	name    string
	content []byte
}

// files writes files into the folder and reports those that were written, or would be. Those that say the same
// already are left.
func (o *dirOptions) files(s streams, files []dataFile) error {
	if !o.dryRun {
		if err := os.MkdirAll(o.dir, 0o755); err != nil {
			return err
		}
	}
	reports := []changeReport{}
	for _, f := range files {
		path := filepath.Join(o.dir, f.name)
		action, there := scaffold.Create, []byte(nil)
		if old, err := os.ReadFile(path); err == nil {
			action, there = scaffold.Update, old
		}
		if bytes.Equal(there, f.content) {
			continue
		}
		if !o.dryRun {
			if err := os.WriteFile(path, f.content, 0o644); err != nil {
				return err
			}
		}
		reports = append(reports, changeReport{Path: path, Action: action})
	}
	if o.output.json() {
		return writeJSON(s.out, map[string]any{"dryRun": o.dryRun, "changes": reports})
	}
	for _, r := range reports {
		fmt.Fprintf(s.err, "%-7s %s\n", r.Action, r.Path)
	}
	return nil
}
