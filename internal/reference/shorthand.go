package reference

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// namedType matches every type with a name: a Kubernetes type, a Go type by its import path, or a
// type under types.
const namedType = kubernetesType + "|" + goType + "|" + ownType

// Patterns of types that are not words. Prefixes can be repeated, as in map[string][]int32.
const (
	kubernetesType = `[a-z][a-z0-9]*(?:/v[a-z0-9]+)?\.[A-Z][A-Za-z0-9]*`
	// A path such as core/v1.Pod, whose second of two elements is a version, names a Kubernetes
	// type and not a Go type.
	goType      = pathElement + `(?:/` + pathElement + `/` + pathElement + `(?:/` + pathElement + `)*|/(?:[A-Za-uw-z0-9_~-]|v[A-Za-z_.~-])[A-Za-z0-9._~-]*)\.[A-Za-z_][A-Za-z0-9_]*`
	pathElement = `[A-Za-z0-9._~-]+`
	ownType     = `[A-Z][A-Za-z0-9]{0,62}`
	listPrefix  = `\[\]`
	mapPrefix   = `map\[string\]`
)

// typeForm is a set of types that take the same markers.
type typeForm struct {
	pattern   string
	openAPI   string // the type in OpenAPI; empty: any value
	isNamed   bool   // a Kubernetes type or one of the file, which take every marker
	hasFormat bool   // the type implies a format
}

// kubernetesWords returns the words of the shorthand for Kubernetes types.
func kubernetesWords() []string {
	var names []string
	for _, w := range spec.TypeWords() {
		if w.Kubernetes != "" {
			names = append(names, w.Names...)
		}
	}
	return names
}

// typeForms returns all types of the shorthand.
func typeForms() []typeForm {
	var forms []typeForm
	anyType := namedType
	for _, w := range spec.TypeWords() {
		pattern := strings.Join(w.Names, "|")
		anyType += "|" + pattern
		if w.Kubernetes == "" {
			forms = append(forms, typeForm{pattern: "(?:" + pattern + ")", openAPI: w.Type, hasFormat: w.HasFormat})
		}
	}
	rest := "(?:" + listPrefix + "|" + mapPrefix + ")*(?:" + anyType + ")"
	return append(forms,
		typeForm{pattern: "(?:" + strings.Join(kubernetesWords(), "|") + "|" + namedType + ")", isNamed: true},
		typeForm{pattern: listPrefix + rest, openAPI: "array"},
		typeForm{pattern: mapPrefix + rest, openAPI: "object"},
	)
}

const shorthandReason = "expected a schema in the shorthand: a type such as string, []string, map[string]int32, core/v1.PodSpec, a Go type by its import path or a name under types, " +
	"then, behind a bar, markers that the type takes, such as: string | required minLength=1"

// shorthandPattern matches schemas in the shorthand. A regular expression cannot match brackets
// within brackets or quotes, so a value in brackets ends at any closing bracket.
func shorthandPattern(at position) string {
	var all []string
	for _, form := range typeForms() {
		all = append(all, form.pattern+`\s*(?:\|\s*(?:(?:`+markerPattern(form, at)+`)(?:\s+|$))+)?`)
	}
	return `^\s*(?:` + strings.Join(all, "|") + `)$`
}

// markerPattern matches the markers that a type takes. Markers with the same syntax share an
// alternative, which keeps the pattern short.
func markerPattern(form typeForm, at position) string {
	var values []string
	names := map[string][]string{}
	for _, k := range markerKeywords() {
		if !form.takesMarker(k) || positionsOf(k) != nil && !slices.Contains(positionsOf(k), at) {
			continue
		}
		value := valuePattern(k, form.openAPI)
		if names[value] == nil {
			values = append(values, value)
		}
		names[value] = append(names[value], k.Marker)
	}
	for i, value := range values {
		values[i] = "(?:" + strings.Join(names[value], "|") + ")" + value
	}
	return strings.Join(values, "|")
}

// takesMarker reports whether a type takes a marker. It does not look into Kubernetes types.
func (f typeForm) takesMarker(k spec.Keyword) bool {
	if f.isNamed || k.Types == nil {
		return true
	}
	return slices.Contains(k.Types, f.openAPI) && (k.Name != "format" || !f.hasFormat)
}
