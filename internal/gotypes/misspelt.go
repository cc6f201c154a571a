package gotypes

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// otherMarkers are markers of kubebuilder that affect neither a schema nor deepcopy code.
var otherMarkers = []string{
	rbac.RuleDefinition.Name, "kubebuilder:webhook", "kubebuilder:webhookconfiguration", "kubebuilder:conversion:hub", "kubebuilder:ac:generate",
	"kubebuilder:ac:output:package", "kubebuilder:scaffold", "kubebuilder:docs-gen", "genclient",
}

// checkMarkers reports unknown markers that resemble a known one. controller-gen ignores them
// silently.
func (f *fieldChecker) checkMarkers(all []comment) {
	if f.known == nil {
		return
	}
	for _, c := range all {
		message, hint := checkSpelling(c.text, f.program.registry, f.known)
		problem := spec.Problem{Pos: f.program.positions.position(c.at), Message: message, Hint: hint}
		if message != "" && !slices.Contains(f.problems, problem) {
			f.problems = append(f.problems, problem)
		}
	}
}

// checkSpelling returns what is wrong with the name of a marker. It returns "" for a known name, or
// one that may be another tool's. A colon may stand in front of the equals sign of a marker, as in
// +kubebuilder:validation:Enum:=A;B, but not in front of that of an argument.
func checkSpelling(text string, registry *markers.Registry, known []string) (message, hint string) {
	written, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	name, _, behind := strings.Cut(written, " ")
	name, colon := strings.CutSuffix(name, ":")
	switch {
	case name == "" || spec.IsClientMarker(text):
		return "", ""
	case colon && slices.Contains(known, name) && !definesMarker(registry, name):
		return "+" + name + " is not read: there is a colon in front of =", "write it as +" + name + "=…"
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

// closestMarker returns the known marker that a misspelt one most likely means. The typo may be in
// the last part of the name or in the part before it.
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
	if meant := closestName(last, lasts); meant != "" {
		return group + meant
	}
	if meant := closestName(group, groups); meant != "" {
		return meant + last
	}
	return ""
}

// splitName splits the name of a marker before its last part.
func splitName(name string) (group, last string) {
	i := strings.LastIndex(name, ":") + 1
	return name[:i], name[i:]
}

// closestName returns the known name that is similar to a misspelt one and has about the same
// length.
func closestName(name string, known []string) string {
	meant := nearest.Name(name, known)
	if difference := len(meant) - len(name); len(name) < 4 || difference < -2 || difference > 2 {
		return ""
	}
	return meant
}

// markerNames returns the names of all known markers, also with the name of each argument appended.
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

// definesMarker reports whether a name is that of a marker, not of one of its arguments.
func definesMarker(registry *markers.Registry, name string) bool {
	return slices.ContainsFunc(registry.AllDefinitions(), func(d *markers.Definition) bool { return d.Name == name })
}
