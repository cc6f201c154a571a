package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

func newCheck(s streams) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Fail if the project is not what its spec files say",
		Long: `Fail with exit code 1 if a generated file is out of date or was edited by hand, if a sample is not a valid
object of its API or shows one that is gone, if the functions New and main that the generated code needs are not there,
or if the versions in go.mod and tools.mod do not fit each other. Warnings are shown and are no
failure. For continuous integration.`,
		Example: "  opgen check -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := out.check(); err != nil {
				return err
			}
			p, err := loadProject(s)
			if err != nil {
				return err
			}
			defer p.release()
			findings, warned, err := p.findings(s)
			if err != nil {
				return err
			}
			return reportFindings(s, out, findings, append(warned, p.warnings()...))
		},
	}
	out.addFlag(cmd)
	return cmd
}

// finding is one thing that opgen check has to say.
type finding struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// findings compares the tree with the plan, and what the author owns with what opgen knows. It also returns what there
// is to warn of in Go source.
func (p *project) findings(s streams) ([]finding, spec.Problems, error) {
	in, err := readGo(s, p.dir, p.input())
	if err != nil {
		return nil, nil, err
	}
	changes, err := diffTree(s, p.dir, in)
	if err != nil {
		return nil, nil, err
	}
	var findings []finding
	for _, c := range changes.Conflicts() {
		findings = append(findings, finding{c.Path, c.Reason})
	}
	for _, c := range changes.Pending() {
		if c.Owner == scaffold.Once {
			continue // its author may have moved or removed it
		}
		findings = append(findings, finding{c.Path, "out of date: run opgen generate"})
	}
	samples, err := p.sampleFindings(in.APIs)
	if err != nil {
		return nil, nil, err
	}
	findings = append(findings, samples...)
	tree := os.DirFS(p.dir)
	for _, misfit := range slices.Concat(
		scaffold.MissingFunctions(tree, p.spec.Module, changes), scaffold.Misfits(tree, tool(p.dir)),
		scaffold.MissingModules(tree, in.APIs, in.Controllers),
	) {
		findings = append(findings, finding{misfit.Path, misfit.Message})
	}
	return findings, changes.Warnings(), nil
}

// reportFindings prints what was found. Warnings are told, and leave the exit code alone.
func reportFindings(s streams, out output, findings []finding, warned spec.Problems) error {
	if out.json() {
		if findings == nil {
			findings = []finding{}
		}
		if err := writeJSON(s.out, map[string]any{"findings": findings, "warnings": problemReports(warned)}); err != nil {
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
