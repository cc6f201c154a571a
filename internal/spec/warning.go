package spec

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Warning names what a spec file is warned of: what Kubernetes accepts, and hurts later. A file that means it says
// so by the name: acceptWarnings: [floats].
type Warning string

// The warnings.
const (
	WarnFloats        Warning = "floats"        // a field is a floating point number
	WarnGroup         Warning = "group"         // the group is one of Kubernetes, and the API is not approved there
	WarnMarkers       Warning = "markers"       // the Go types of an author lack a marker or a list, which opgen makes up for
	WarnNames         Warning = "names"         // kubectl takes a name for that of another kind
	WarnNonASCII      Warning = "nonASCII"      // the name of a field has letters that look like others
	WarnPrivileged    Warning = "privileged"    // a child can give its author rights that the parent's author lacks
	WarnRequired      Warning = "required"      // what is required cannot be there, or is always there
	WarnServed        Warning = "served"        // no version is served
	WarnSize          Warning = "size"          // the CRD is too large for some ways of storing it
	WarnUnsatisfiable Warning = "unsatisfiable" // limits, an enum, a default or a path that nothing fits; refused unless it is accepted
	WarnVersions      Warning = "versions"      // a field gets lost between versions
)

// Warnings are all of them, sorted.
func Warnings() []Warning {
	return []Warning{
		WarnFloats, WarnGroup, WarnMarkers, WarnNames, WarnNonASCII, WarnPrivileged, WarnRequired, WarnServed, WarnSize, WarnUnsatisfiable, WarnVersions,
	}
}

// acceptWarnings decodes which warnings a file is not to be told.
func (d *decoder) acceptWarnings(into *[]Warning) func(n *yaml.Node, path string) {
	return d.list(func(n *yaml.Node, path string) {
		var w Warning
		word(d, &w, Warnings()...)(n, path)
		if w != "" && slices.Contains(*into, w) {
			d.fail(n, path, string(w)+" is listed twice", "")
		}
		*into = append(*into, w)
	})
}

// accepts tells whether a file accepts a warning, before its keys are decoded.
func accepts(root *yaml.Node, w Warning) bool {
	_, list := lookup(root, "acceptWarnings")
	return list != nil && slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == string(w) })
}
