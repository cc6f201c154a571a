package reference

import (
	"slices"
	"strings"
)

// typeForm is a set of types that take the same markers.
type typeForm struct {
	pattern string
	typeWord
}

// typeForms are all types of the shorthand.
func typeForms() []typeForm {
	var forms []typeForm
	anyType := byName
	for _, w := range typeWords() {
		pattern := strings.Join(w.names, "|")
		anyType += "|" + pattern
		if !w.kubernetes {
			forms = append(forms, typeForm{"(?:" + pattern + ")", w})
		}
	}
	rest := "(?:" + listPrefix + "|" + mapPrefix + ")*(?:" + anyType + ")"
	return append(forms,
		typeForm{"(?:" + kubernetesWords() + "|" + byName + ")", typeWord{kubernetes: true}},
		typeForm{listPrefix + rest, typeWord{kind: "array"}},
		typeForm{mapPrefix + rest, typeWord{kind: "object"}},
	)
}

const shorthandReason = "expected a schema in the shorthand: a type such as string, []string, map[string]int32, core/v1.PodSpec, a Go type by its import path or a name under types, " +
	"then, behind a bar, markers that the type takes, such as: string | required minLength=1"

// shorthand matches the schemas of the shorthand. Brackets inside of quotes and of other brackets are beyond a
// regular expression, so that a value in brackets ends at any closing bracket.
func shorthand(at place) string {
	var all []string
	for _, form := range typeForms() {
		all = append(all, form.pattern+`\s*(?:\|\s*(?:(?:`+markersOf(form.typeWord, at)+`)(?:\s+|$))+)?`)
	}
	return `^\s*(?:` + strings.Join(all, "|") + `)$`
}

// markersOf matches one of the markers that a type takes. Markers with the same form of value share it.
func markersOf(t typeWord, at place) string {
	var values []string
	names := map[string][]string{}
	for _, m := range markers() {
		if !m.applies(t) || m.places != nil && !slices.Contains(m.places, at) {
			continue
		}
		value := m.valuePattern(t.kind)
		if names[value] == nil {
			values = append(values, value)
		}
		names[value] = append(names[value], m.name)
	}
	for i, value := range values {
		values[i] = "(?:" + strings.Join(names[value], "|") + ")" + value
	}
	return strings.Join(values, "|")
}
