package gomodel

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// scaleType is the Go type of the scale subresource of every kind.
const scaleType = "k8s.io/api/autoscaling/v1.Scale"

// clientMarkers returns the markers of a kind that the generators of typed clients read.
func clientMarkers(k kindVersion) []string {
	lines := []string{"+genclient"}
	if k.api.Scope == spec.Cluster {
		lines = append(lines, "+genclient:nonNamespaced")
	}
	if !k.version.Subresources.Status {
		lines = append(lines, "+genclient:noStatus")
	}
	if k.version.Scale != nil {
		lines = append(lines,
			"+genclient:method=GetScale,verb=get,subresource=scale,result="+scaleType,
			"+genclient:method=UpdateScale,verb=update,subresource=scale,input="+scaleType+",result="+scaleType)
	}
	return append(lines, "+resourceName="+k.api.Names.Plural)
}

// authoredClientMarkers returns the markers of a kind whose Go types an author owns. These are the
// author's markers, completed from the API file. If there are none, they are the ones that a kind
// of the spec language has.
func authoredClientMarkers(k kindVersion) []string {
	var lines []string
	if k.version.Authored != nil {
		for _, marker := range k.version.Authored.ClientMarkers {
			lines = append(lines, marker.Text)
		}
	}
	written := func(prefix string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
	}
	own := clientMarkers(k)
	if !written("+genclient") {
		return own
	}
	for _, line := range own {
		name, _, _ := strings.Cut(line, "=")
		if (name == "+genclient:nonNamespaced" || name == "+resourceName") && !written(name) {
			lines = append(lines, line)
		}
	}
	return lines
}

// WithoutClientMarkers returns the lines without markers for the generators of typed clients.
func WithoutClientMarkers(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), spec.IsClientMarker)
}

// listName returns the Go name of the list of a kind. In a project with typed clients it must be
// the name of the kind with List, since the generators assume that.
func listName(k kindVersion, clients bool) string {
	if clients {
		return k.api.Names.GoKind + "List"
	}
	return k.api.Names.GoListKind
}
