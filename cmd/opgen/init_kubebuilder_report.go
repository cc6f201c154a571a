package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/kubebuilder"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// moveReport is what remains for the author of a project of kubebuilder that opgen has taken over.
type moveReport struct {
	left      spec.Problems
	Remaining project.Remaining
}

// MarshalJSON writes the report for programs.
func (r moveReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Left []problemReport `json:"left"`
		project.Remaining
	}{problemReports(r.left), r.Remaining})
}

// print prints the report for people: warnings in any case, and the rest unless the command is quiet or
// reports in JSON.
func (r moveReport) print(w io.Writer, all, isJSON bool) {
	if !isJSON {
		for _, p := range r.left {
			fmt.Fprintf(w, "warning: %v\n", p)
		}
	}
	if !all {
		return
	}
	if r.Remaining.Include || len(r.Remaining.Lines) > 0 {
		fmt.Fprint(w, "\nto change in files of yours:\n")
	}
	if r.Remaining.Include {
		fmt.Fprintf(w, "  Makefile, as the last line, for the targets opgen-generate, opgen-run and so on (make opgen-help):\n      include zz_generated.mk\n")
	}
	for _, c := range r.Remaining.Lines {
		fmt.Fprintf(w, "  %s:%d, for the main that opgen has written:\n    - %s\n    + %s\n", c.Path, c.Line, c.Old, c.New)
	}
	printFileNotes(w, "superfluous as soon as you build and deploy that main:", r.Remaining.Superfluous)
	printFileNotes(w, "not made by opgen, so keep:", r.Remaining.Unmade)
	fmt.Fprintf(w, "\nnext: %s\n      docs/coming-from/kubebuilder.md says how a kind moves from its controller to Sync\n", r.Remaining.Next)
}

// printFileNotes prints a list of files, with what becomes of each.
func printFileNotes(w io.Writer, title string, found []kubebuilder.FileNote) {
	if len(found) == 0 {
		return
	}
	width := 0
	for _, l := range found {
		width = max(width, len(l.Path))
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, l := range found {
		fmt.Fprintf(w, "  %-*s  %s\n", width, filepath.FromSlash(l.Path), l.Text)
	}
}
