package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

func newDiff(s streams) *cobra.Command {
	var out outputFlag
	var cache cacheOptions
	var crds crdDiff
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what generate would change, or how CRDs differ",
		Long: `Show what generate would change, as a unified diff. Nothing is written. The exit code is 1 when there is a
difference.

Changes of the operator's permissions come first, each on a line of its own that names what is dangerous about it:

  + permission: create, patch pods cluster-wide (dangerous: runs programs with any ServiceAccount of the namespace)
  - permission: get secrets named db in namespace web-system

With --crd, compare the CRDs of the project, as generate would write them, with those in a folder or a file, in standard
input (-), or in a cluster (the word cluster), by what they mean: the order of keys and of sets, how descriptions are
wrapped, the version of controller-gen, and what an API server adds do not count. Each difference is named with its
path, with the key or the place in the source that makes it, and with what it means for objects that exist once the
CRD of the project takes the place of the other one. Folders are not searched for more folders, and documents of other
kinds are skipped. In a cluster, only CRDs of the groups of the project count.

` + whichCluster,
		Example: `  opgen diff | less
  opgen diff --crd config/crd/bases
  opgen diff --crd cluster`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			if cmd.Flags().Changed("crd") {
				return crds.run(cmd.Context(), s, out, cache)
			}
			if crds.verbose {
				return project.InputErrorf("--verbose: goes with --crd, which it makes name every difference")
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
	crds.addFlags(cmd)
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
		if err := writeJSON(s.out, map[string]any{"changes": reports, "permissions": permissionReports(permissionChanges(s, differing))}); err != nil {
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
	for _, change := range permissionChanges(s, differing) {
		_, err := fmt.Fprintln(s.out, change)
		errs = append(errs, err)
	}
	for _, c := range differing {
		if c.Action == tree.Conflict {
			fmt.Fprintf(s.err, "conflict %s: %s\n", c.Path, c.Reason)
		}
		_, err := s.out.Write(c.Diff())
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
