package project

import (
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Finding is one line in the report of opgen check.
type Finding struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Check compares the tree with its source. changes are what generate would do. It also checks files
// that belong to the author: samples, the functions that generated code calls, and module files.
func (p *Project) Check(source scaffold.Source, changes *tree.Changes) ([]Finding, error) {
	var findings []Finding
	for _, c := range changes.Conflicts() {
		findings = append(findings, Finding{c.Path, c.Reason})
	}
	for _, c := range changes.Pending() {
		if c.Owner != tree.Once { // the author may move or remove a Once file
			findings = append(findings, Finding{c.Path, "out of date: run opgen generate"})
		}
	}
	samples, err := p.checkSamples(scaffold.ReadAll(source.APIs))
	if err != nil {
		return nil, err
	}
	findings = append(findings, samples...)
	tree, module := os.DirFS(p.Dir), os.DirFS(p.module.Dir)
	for _, mismatch := range slices.Concat(
		scaffold.MissingFunctions(tree, p.Spec.Module, changes), scaffold.VersionMismatches(module, tree, p.Tool),
		scaffold.MissingModules(module, scaffold.Summaries(source.APIs), source.Controllers),
	) {
		findings = append(findings, Finding{mismatch.Path, mismatch.Message})
	}
	return findings, nil
}
