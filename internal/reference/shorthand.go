package reference

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// namedType matches every type that is named: of Kubernetes, of Go by its import path, and under
// types.
const namedType = kubernetesType + "|" + goType + "|" + ownType

// Patterns of types that are no words. Prefixes may be repeated: map[string][]int32.
const (
	kubernetesType = `[a-z][a-z0-9]*(?:/v[a-z0-9]+)?\.[A-Z][A-Za-z0-9]*`
	// An import path of two elements, of which the second is a version, would be a Kubernetes type
	// with its whole group.
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
	isNamed   bool   // of Kubernetes or of the file, which takes every marker
	hasFormat bool   // it says its format already
}

// kubernetesWords returns the words that stand for a Kubernetes type.
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

// shorthandPattern matches the schemas of the shorthand. Brackets inside of quotes and of other
// brackets are beyond a regular expression, so that a value in brackets ends at any closing
// bracket.
func shorthandPattern(at position) string {
	var all []string
	for _, form := range typeForms() {
		all = append(all, form.pattern+`\s*(?:\|\s*(?:(?:`+markerPattern(form, at)+`)(?:\s+|$))+)?`)
	}
	return `^\s*(?:` + strings.Join(all, "|") + `)$`
}

// markerPattern matches one of the markers that a type takes. Markers with the same form of value
// share it.
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

// takesMarker reports whether a type takes a marker. What a Kubernetes type is, is not known here.
func (f typeForm) takesMarker(k spec.Keyword) bool {
	if f.isNamed || k.Types == nil {
		return true
	}
	return slices.Contains(k.Types, f.openAPI) && (k.Name != "format" || !f.hasFormat)
}
