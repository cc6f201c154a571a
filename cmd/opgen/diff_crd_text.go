package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/project"
)

// crdReport prints how the CRDs of a project differ from others.
type crdReport struct {
	crddiff.Report
	other   comparedCRDs
	modules project.Modules // that the project requires
	verbose bool
}

// printText prints the report for people: differences that have one cause together, and each of the
// others.
func (r crdReport) printText(to io.Writer) error {
	var b strings.Builder
	equal := 0
	for _, p := range r.Pairs {
		if len(p.Differences) == 0 {
			equal++
			continue
		}
		fmt.Fprintf(&b, "%s: here is the project, there is %s\n", p.Name, p.Other.Source)
		r.writePair(&b, p)
	}
	if len(r.OnlyOurs) > 0 {
		fmt.Fprintf(&b, "only in the project, not in %s: %s\n", r.other.name, strings.Join(r.OnlyOurs, ", "))
	}
	if names := r.onlyThere(); len(names) > 0 {
		fmt.Fprintf(&b, "only in %s, not in the project: %s\n", r.other.name, strings.Join(names, ", "))
	}
	differ := len(r.Pairs) - equal
	switch {
	case differ == 1 && equal > 0:
		fmt.Fprintf(&b, "1 of %d CRDs differs\n", differ+equal)
	case differ > 0 && equal > 0:
		fmt.Fprintf(&b, "%d of %d CRDs differ\n", differ, differ+equal)
	case differ > 0:
		fmt.Fprintf(&b, "%s\n", agree(differ, "CRD differs", "CRDs differ"))
	case equal > 0:
		fmt.Fprintf(&b, "%s\n", agree(equal, "CRD is equal", "CRDs are equal"))
	case len(r.OnlyOurs)+len(r.OnlyTheirs) == 0:
		fmt.Fprintln(&b, "the project has no CRD")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// onlyThere returns the names of the CRDs that the project has not.
func (r crdReport) onlyThere() []string {
	names := []string{}
	for _, other := range r.OnlyTheirs {
		names = append(names, other.CRD.Name)
	}
	return names
}

// writePair writes how two CRDs differ.
func (r crdReport) writePair(b *strings.Builder, p crddiff.Pair) {
	summary := crddiff.Summarize(p, r.modules.Of)
	for _, g := range summary.Groups {
		what, hint := r.describe(p, g)
		writeFinding(b, what, hint, g.Effect)
		if g.Cause == crddiff.Description && hint == "" || r.verbose {
			r.writePaths(b, g)
		}
	}
	for _, d := range summary.Own {
		text := describeDifference(d)
		if d.Pos.Line > 0 {
			text += "  (" + d.Pos.String() + ")"
		}
		writeFinding(b, text, "", d.Effect)
	}
}

// writeFinding writes a line with what there is to do about it, and what it means for objects.
func writeFinding(b *strings.Builder, what, hint string, effect crddiff.Effect) {
	fmt.Fprintf(b, "  %s\n", what)
	if hint != "" {
		fmt.Fprintf(b, "      %s\n", hint)
	}
	if text := effectTexts[effect]; text != "" {
		fmt.Fprintf(b, "      %s\n", text)
	}
}

// effectTexts say what the effects mean once the CRD of the project takes the place of the other.
var effectTexts = map[crddiff.Effect]string{
	crddiff.Refused:  "an existing object may be refused when somebody writes it",
	crddiff.Lost:     "existing objects lose what only the other CRD names",
	crddiff.Left:     "existing objects stay with the other CRD, which has another name",
	crddiff.Rejected: "the API server rejects the CRD of the project as long as there are objects, or status.storedVersions names the version",
}

// maxPaths is how many paths of a group are shown without --verbose.
const maxPaths = 5

// writePaths writes the paths of the differences of a group.
func (r crdReport) writePaths(b *strings.Builder, g crddiff.Group) {
	for i, d := range g.Differences {
		if i == maxPaths && !r.verbose {
			fmt.Fprintf(b, "      and %d more, with --verbose\n", len(g.Differences)-i)
			return
		}
		text := d.Path
		if d.Pos.Line > 0 && d.Cause != crddiff.Metadata {
			text += "  (" + d.Pos.String() + ")"
		}
		fmt.Fprintf(b, "      %s\n", text)
	}
}

// describeDifference returns a difference in one line.
func describeDifference(d crddiff.Difference) string {
	switch {
	case d.Field && d.OnlyOurs(), d.Theirs == "" && d.Ours == "version "+d.Path:
		return d.Path + ": only here"
	case d.Field, d.Ours == "" && d.Theirs == "version "+d.Path:
		return d.Path + ": only there"
	}
	return fmt.Sprintf("%s: %s here, %s there", d.Path, shown(d.Ours), shown(d.Theirs))
}

// maxShown is how many characters of a value are shown.
const maxShown = 100

func shown(value string) string {
	if value == "" {
		return "none"
	}
	if runes := []rune(value); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return value
}

// agree returns a number with what it is of.
func agree(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
