package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

func newCheck(s streams) *cobra.Command {
	var out outputFlag
	var cache cacheOptions
	var requested requestedPermissions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Fail if the project is not what its spec files say",
		Long: `Fail with exit code 1 if a generated file is out of date or was edited by hand, if a sample is not a valid
object of its API or shows one that is gone, if the functions New and main that the generated code needs are not there,
if the versions in go.mod and tools.mod do not fit each other, or if a package in dist/ is out of date. Warnings are
shown and are no failure. For continuous integration, with --no-cache: then everything is done again.

With --requests, fail also for permissions of the operator's roles that no test has used. The folder is one that tests
with operatortest.Config.Roles have had in $OPGEN_TEST_REQUESTS. Those that no test can use are named with the reason.`,
		Example: "  opgen check\n  opgen check --no-cache -o json\n  opgen check --requests bin/requests",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			p, err := cache.loadProject(s)
			if err != nil {
				return err
			}
			defer p.release()
			source, err := readGo(s, p.Dir, p.Tree, p.Input())
			if err != nil {
				return err
			}
			planned, changes, err := diffSource(s, p.Tree, source)
			if err != nil {
				return err
			}
			findings, err := p.Check(source, changes)
			if err != nil {
				return err
			}
			stale, err := checkPackages(p.Dir, p.Spec)
			if err != nil {
				return err
			}
			findings = append(findings, stale...)
			unused, err := requested.findUnused(p.Dir)
			if err != nil {
				return err
			}
			unneeded, reports := reportUnused(s, out, unused)
			return reportFindings(s, out, append(findings, unneeded...), append(planned.Warnings, p.Warnings()...), reports)
		},
	}
	out.addFlag(cmd)
	cache.addFlag(cmd)
	cmd.Flags().StringVar(&requested.dir, "requests", "", "compare the roles with what tests have recorded in `DIR`")
	return cmd
}

// reportFindings prints findings and warnings. Only findings make the command fail.
func reportFindings(s streams, out outputFlag, findings []project.Finding, warned spec.Problems, unused []unusedReport) error {
	if out.json() {
		if findings == nil {
			findings = []project.Finding{}
		}
		report := map[string]any{"findings": findings, "warnings": problemReports(warned)}
		if unused != nil {
			report["permissions"] = unused
		}
		if err := writeJSON(s.out, report); err != nil {
			return err
		}
	} else {
		printWarnings(s.err, warned)
		for _, f := range findings {
			fmt.Fprintf(s.err, "%s: %s\n", f.Path, f.Message)
		}
		if len(findings) == 0 {
			fmt.Fprintln(s.err, "up to date")
		}
	}
	if len(findings) > 0 {
		return errReported
	}
	return nil
}
