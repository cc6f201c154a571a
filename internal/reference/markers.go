package reference

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Patterns of the values of markers.
const (
	quotedText = "\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`"
	bareText   = "[^\\s\"`]\\S*"
	inBracket  = "(?:" + quotedText + "|[^\"`])*"
	listValue  = `\[` + inBracket + `\]`
	jsonValue  = `\{` + inBracket + `\}`
	integer    = `-?(?:0|[1-9][0-9]*)`
	decimal    = `[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`
)

// markerForm is the syntax of the value of a marker.
type markerForm struct {
	says    string // in Markdown
	pattern string // empty: the pattern of a value of the type
}

var markerForms = map[spec.MarkerForm]markerForm{
	spec.FlagMarker:   {says: "none, `true` or `false`", pattern: `true|false`},
	spec.CountMarker:  {says: "a count", pattern: `0|[1-9][0-9]*`},
	spec.NumberMarker: {says: "a number", pattern: decimal},
	spec.TextMarker:   {says: "text", pattern: quotedText + "|" + bareText},
	spec.EnumMarker:   {says: "a list: `enum=[Plain, Json]`", pattern: listValue},
	spec.ValueMarker:  {says: "a value of the type; lists, maps and objects as JSON, lists also as `[a, b]`"},
	spec.NameMarker:   {says: "a Go name", pattern: "[\"`]?[A-Z][A-Za-z0-9_]*[\"`]?"},
}

// formOf returns the syntax of the value of a marker.
func formOf(k spec.Keyword) markerForm {
	if words := k.Words(); words != nil {
		return markerForm{says: "`" + strings.Join(words, "`, `") + "`", pattern: "[\"`]?(?:" + strings.Join(words, "|") + ")[\"`]?"}
	}
	return markerForms[k.Form()]
}

// markerKeywords returns the keywords that have a marker.
func markerKeywords() []spec.Keyword {
	var all []spec.Keyword
	for _, k := range spec.Keywords() {
		if k.Marker != "" {
			all = append(all, k)
		}
	}
	return all
}

// positionsOf returns the positions of the schemas that can have a marker, nil if all can.
func positionsOf(k spec.Keyword) []position {
	switch k.Marker {
	case "required":
		return []position{ofField}
	case "goName":
		return []position{ofField, ofNamedType}
	}
	return nil
}

// valuePattern returns the pattern of the value of a marker next to a type of OpenAPI.
func valuePattern(k spec.Keyword, openAPIType string) string {
	value := formOf(k).pattern
	if value == "" {
		value = typedValuePattern(openAPIType)
	}
	if k.Form() == spec.FlagMarker {
		return "(?:=(?:" + value + "))?"
	}
	return "=(?:" + value + ")"
}

// typedValuePattern returns the pattern of a value of a type, as the markers default and example
// have it.
func typedValuePattern(openAPIType string) string {
	switch openAPIType {
	case "string":
		return quotedText + "|" + bareText
	case "integer":
		return integer
	case "number":
		return decimal
	case "boolean":
		return "true|false"
	case "array":
		return listValue
	case "object":
		return jsonValue
	}
	return quotedText + "|" + listValue + "|" + jsonValue + "|" + bareText
}
