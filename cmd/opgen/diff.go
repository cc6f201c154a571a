package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/tree"
)

func newDiff(s streams) *cobra.Command {
	var out outputFlag
	var cache cacheOptions
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what generate would change",
		Long: `Show what generate would change, as a unified diff. Nothing is written. The exit code is 1 when there is a
difference.`,
		Example: "  opgen diff | less",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			opened, err := cache.openProject(s)
			if err != nil {
				return err
			}
			defer opened.release()
			if _, current := opened.record.IsCurrent(readVersion().Version); current {
				return showDiff(s, out, new(tree.Changes))
			}
			p, err := opened.load()
			if err != nil {
				return err
			}
			_, changes, err := diffTree(s, p.Dir, p.Tree, p.Input())
			if err != nil {
				return err
			}
			return showDiff(s, out, changes)
		},
	}
	out.addFlag(cmd)
	cache.addFlag(cmd)
	return cmd
}

// showDiff prints every pending change and every conflict, with what it would do to the file's
// content.
func showDiff(s streams, out outputFlag, changes *tree.Changes) error {
	differing := append(changes.Pending(), changes.Conflicts()...)
	if out.json() {
		type diffReport struct {
			changeReport
			Diff string `json:"diff"`
		}
		reports := make([]diffReport, len(differing))
		for i, report := range changeReports(differing) {
			reports[i] = diffReport{report, string(differing[i].Diff())}
		}
		if err := writeJSON(s.out, map[string]any{"changes": reports}); err != nil {
			return err
		}
	} else if err := printDiff(s, differing); err != nil {
		return err
	}
	if len(differing) > 0 {
		return errReported
	}
	return nil
}

func printDiff(s streams, differing []tree.Change) error {
	var errs []error
	for _, c := range differing {
		if c.Action == tree.Conflict {
			fmt.Fprintf(s.err, "conflict %s: %s\n", c.Path, c.Reason)
		}
		_, err := s.out.Write(c.Diff())
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
