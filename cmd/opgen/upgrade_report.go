package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/opgen-dev/opgen/internal/project"
)

// upgradeReport is what opgen upgrade -o json reports in addition to the changes.
type upgradeReport struct {
	From    string                 `json:"from"`
	To      string                 `json:"to"`
	Open    []openReport           `json:"open,omitempty"`
	Unknown string                 `json:"notCompared,omitempty"` // why the author's files could not be compared
	Errors  []project.CompileError `json:"errors,omitempty"`
}

// openReport is what is new in a file that the author has changed.
type openReport struct {
	Path string `json:"path"`
	Diff string `json:"diff"`
}

// report says what was written, what is left to the author, and what does not compile.
func (o *upgradeOptions) report(s streams, u *upgrade) error {
	report := upgradeReport{From: u.from, To: u.to, Errors: u.errors}
	for _, change := range u.authors.open {
		report.Open = append(report.Open, openReport{change.Path, string(change.Diff())})
	}
	if u.authors.unknown != nil {
		report.Unknown = u.authors.unknown.Error()
	}
	o.write.more = map[string]any{"upgrade": report}
	pending := slices.Concat(seenFrom(u.dir, u.module), u.tools.Pending(), u.changes.Pending(), u.authors.replaced.Pending())
	if err := o.write.report(s, pending); err != nil {
		return err
	}
	if !o.write.output.json() {
		report.print(s, o.write.quiet)
	}
	if len(u.errors) > 0 {
		return errReported
	}
	if o.write.namesNextStep() && len(pending) > 0 {
		fmt.Fprintf(s.err, "next: %smake test\n", vendorStep(u.module.Module.Dir))
	}
	return nil
}

// print prints what is left to the author. Diffs go to standard output.
func (r upgradeReport) print(s streams, quiet bool) {
	for _, open := range r.Open {
		if !quiet {
			fmt.Fprintf(s.err, "yours   %s: %s makes it otherwise, and you have changed it: see the diff\n", open.Path, r.To)
		}
		fmt.Fprint(s.out, open.Diff)
	}
	if r.Unknown != "" {
		fmt.Fprintf(s.err, "warning: what %s makes otherwise in files that are yours is not known: %s\n", r.To, r.Unknown)
	}
	for _, e := range r.Errors {
		where := ""
		if e.Generated {
			where = " (in generated code, which calls yours)"
		}
		if e.Position != "" {
			e.Position += ": "
		}
		fmt.Fprintf(s.err, "%s%s%s\n", e.Position, e.Message, where)
	}
}

// vendorStep returns the command that renews vendor/, if there is one.
func vendorStep(moduleDir string) string {
	if _, err := os.Stat(filepath.Join(moduleDir, "vendor", "modules.txt")); err != nil {
		return ""
	}
	return "go mod vendor && "
}
