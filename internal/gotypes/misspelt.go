package gotypes

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// otherMarkers are those of kubebuilder that neither a schema nor deepcopy code is made from.
var otherMarkers = []string{
	rbac.RuleDefinition.Name, "kubebuilder:webhook", "kubebuilder:webhookconfiguration", "kubebuilder:conversion:hub", "kubebuilder:ac:generate",
	"kubebuilder:ac:output:package", "kubebuilder:scaffold", "kubebuilder:docs-gen", "genclient",
}

// checkMarkers reports markers that are not known and look like one that is: nothing would come of
// them.
func (f fieldChecker) checkMarkers(all []comment) {
	for _, c := range all {
		message, hint := checkSpelling(c.text, f.knownMarkers)
		problem := spec.Problem{Pos: f.program.positions.of(c.at), Message: message, Hint: hint}
		if message != "" && !slices.Contains(f.problems, problem) {
			f.problems = append(f.problems, problem)
		}
	}
}

// checkSpelling says what is wrong with the name of a marker, nothing where it is known or may be
// another tool's.
func checkSpelling(text string, known []string) (message, hint string) {
	written, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	name, _, behind := strings.Cut(written, " ")
	switch {
	case name == "" || spec.IsClientMarker(text):
		return "", ""
	case slices.Contains(known, name) && behind:
		return "+" + name + " is not read: there is a space behind its name", "write the marker on a line of its own, without spaces before ="
	case slices.Contains(known, name):
		return "", ""
	}
	if meant := closestMarker(name, known); meant != "" {
		return "+" + name + ": unknown marker", "did you mean +" + meant + "?"
	}
	if strings.HasPrefix(name, "kubebuilder:validation:") {
		return "+" + name + ": unknown marker", "see: go tool controller-gen crd -www, or leave it out"
	}
	return "", ""
}

// closestMarker returns the known marker that a misspelt one most likely means: another last part,
// or another part before it.
func closestMarker(name string, known []string) string {
	group, last := splitName(name)
	var lasts, groups []string
	for _, other := range known {
		otherGroup, otherLast := splitName(other)
		if otherGroup == group {
			lasts = append(lasts, otherLast)
		}
		if otherLast == last {
			groups = append(groups, otherGroup)
		}
	}
	if meant := closeTo(last, lasts); meant != "" {
		return group + meant
	}
	if meant := closeTo(group, groups); meant != "" {
		return meant + last
	}
	return ""
}

// splitName splits the last part off the name of a marker.
func splitName(name string) (group, last string) {
	i := strings.LastIndex(name, ":") + 1
	return name[:i], name[i:]
}

// closeTo returns the known name that is about as long as a misspelt one and close to it.
func closeTo(name string, known []string) string {
	meant := nearest.Name(name, known)
	if difference := len(meant) - len(name); len(name) < 4 || difference < -2 || difference > 2 {
		return ""
	}
	return meant
}

// markerNames returns the names of all markers that are known, also with each of their arguments.
func markerNames(registry *markers.Registry) []string {
	names := slices.Clone(otherMarkers)
	for _, definition := range registry.AllDefinitions() {
		names = append(names, definition.Name)
		for argument := range definition.Fields {
			if argument != "" {
				names = append(names, definition.Name+":"+argument)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
