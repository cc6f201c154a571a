package main

import (
	"io"

	"github.com/opgen-dev/opgen/internal/crddiff"
)

// crdDifferences is how one CRD differs, in the output of -o json.
type crdDifferences struct {
	Name        string              `json:"name"`
	Source      string              `json:"source"` // of the other one
	Equal       bool                `json:"equal"`
	Differences []crdDifferenceLine `json:"differences,omitempty"`
}

// crdDifferenceLine is one difference in the output of -o json.
type crdDifferenceLine struct {
	Path    string         `json:"path"`
	Cause   crddiff.Cause  `json:"cause"`
	Here    string         `json:"here,omitempty"`
	There   string         `json:"there,omitempty"`
	Field   bool           `json:"field,omitempty"`
	Module  string         `json:"module,omitempty"`
	Version string         `json:"version,omitempty"` // of the module, in the project
	File    string         `json:"file,omitempty"`
	Line    int            `json:"line,omitempty"`
	Effect  crddiff.Effect `json:"effect,omitempty"`
}

// printJSON prints every difference for programs.
func (r crdReport) printJSON(to io.Writer) error {
	pairs := make([]crdDifferences, len(r.Pairs))
	for i, p := range r.Pairs {
		pairs[i] = crdDifferences{Name: p.Name, Source: p.Other.Source, Equal: len(p.Differences) == 0}
		for _, d := range p.Differences {
			line := crdDifferenceLine{
				Path: d.Path, Cause: d.Cause, Here: d.Ours, There: d.Theirs, Field: d.Field,
				File: d.Pos.File, Line: d.Pos.Line, Effect: d.Effect,
			}
			if d.Foreign != "" {
				line.Module = r.modules.Of(d.Foreign)
				line.Version = r.modules[line.Module]
			}
			pairs[i].Differences = append(pairs[i].Differences, line)
		}
	}
	return writeJSON(to, map[string]any{"crds": pairs, "onlyHere": append([]string{}, r.OnlyOurs...), "onlyThere": r.onlyThere()})
}
