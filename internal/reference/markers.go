package reference

import (
	"slices"
	"strings"
)

// marker is a marker of the shorthand.
type marker struct {
	name    string
	keyword string   // whose meaning it has
	kinds   []string // types of OpenAPI that it applies to; none: all types
	places  []place  // where a schema may stand that has it; none: everywhere
	form    form
}

// place is where a schema stands.
type place string

const (
	anywhere    place = ""
	ofField     place = "a field of an object"
	ofNamedType place = "a named type"
)

// form is how the value of a marker is written.
type form struct {
	says    string // in Markdown
	pattern string // a regular expression; empty: that of a value of the type
	bare    bool   // the name alone will do
}

// Values of markers.
const (
	quoted    = "\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`"
	bare      = "[^\\s\"`]\\S*"
	inBracket = "(?:" + quoted + "|[^\"`])*"
	listValue = `\[` + inBracket + `\]`
	jsonValue = `\{` + inBracket + `\}`
	integer   = `-?(?:0|[1-9][0-9]*)`
	decimal   = `[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`
)

var (
	flagForm   = form{says: "none, `true` or `false`", pattern: `true|false`, bare: true}
	countForm  = form{says: "a count", pattern: `0|[1-9][0-9]*`}
	numberForm = form{says: "a number", pattern: decimal}
	textForm   = form{says: "text", pattern: quoted + "|" + bare}
	enumForm   = form{says: "a list: `enum=[Plain, Json]`", pattern: listValue}
	valueForm  = form{says: "a value of the type; lists, maps and objects as JSON, lists also as `[a, b]`"}
)

func wordForm(words ...string) form {
	return form{says: "`" + strings.Join(words, "`, `") + "`", pattern: "[\"`]?(?:" + strings.Join(words, "|") + ")[\"`]?"}
}

// markers are the markers of the shorthand.
func markers() []marker {
	numbers, texts, lists, objects := []string{"integer", "number"}, []string{"string"}, []string{"array"}, []string{"object"}
	return []marker{
		{name: "required", places: []place{ofField}, form: flagForm},
		{name: "nullable", keyword: "nullable", form: flagForm},
		{name: "preserveUnknownFields", keyword: "x-kubernetes-preserve-unknown-fields", form: flagForm},
		{name: "default", keyword: "default", form: valueForm},
		{name: "example", keyword: "example", form: valueForm},
		{name: "enum", keyword: "enum", form: enumForm},
		{name: "title", keyword: "title", form: textForm},
		{name: "description", keyword: "description", form: textForm},
		{name: "minimum", keyword: "minimum", kinds: numbers, form: numberForm},
		{name: "maximum", keyword: "maximum", kinds: numbers, form: numberForm},
		{name: "exclusiveMinimum", keyword: "exclusiveMinimum", kinds: numbers, form: flagForm},
		{name: "exclusiveMaximum", keyword: "exclusiveMaximum", kinds: numbers, form: flagForm},
		{name: "multipleOf", keyword: "multipleOf", kinds: numbers, form: numberForm},
		{name: "minLength", keyword: "minLength", kinds: texts, form: countForm},
		{name: "maxLength", keyword: "maxLength", kinds: texts, form: countForm},
		{name: "pattern", keyword: "pattern", kinds: texts, form: textForm},
		{name: "format", keyword: "format", kinds: slices.Concat(texts, numbers), form: textForm},
		{name: "minItems", keyword: "minItems", kinds: lists, form: countForm},
		{name: "maxItems", keyword: "maxItems", kinds: lists, form: countForm},
		{name: "listType", keyword: "x-kubernetes-list-type", kinds: lists, form: wordForm("atomic", "set", "map")},
		{name: "listMapKey", keyword: "x-kubernetes-list-map-keys", kinds: lists, form: textForm},
		{name: "minProperties", keyword: "minProperties", kinds: objects, form: countForm},
		{name: "maxProperties", keyword: "maxProperties", kinds: objects, form: countForm},
		{name: "mapType", keyword: "x-kubernetes-map-type", kinds: objects, form: wordForm("atomic", "granular")},
		{name: "embeddedResource", keyword: "x-kubernetes-embedded-resource", kinds: objects, form: flagForm},
		{name: "goName", keyword: "goName", places: []place{ofField, ofNamedType}, form: form{says: "a Go name", pattern: "[\"`]?[A-Z][A-Za-z0-9_]*[\"`]?"}},
	}
}

// means says what the marker means, as its keyword does.
func (m marker) means() string {
	switch m.name {
	case "required":
		return "the field must be there"
	case "listMapKey":
		return "a field that identifies an item of a list of type `map`; may be repeated"
	}
	for _, k := range append(keywords(), goName()) {
		if k.name == m.keyword {
			return k.means
		}
	}
	return ""
}

// applies says whether a type takes the marker. What a Kubernetes type is, is not known here.
func (m marker) applies(to typeWord) bool {
	if to.kubernetes || m.kinds == nil {
		return true
	}
	return slices.Contains(m.kinds, to.kind) && (m.name != "format" || !to.formatted)
}

// valuePattern matches what follows the name of the marker beside a type of OpenAPI.
func (m marker) valuePattern(kind string) string {
	value := m.form.pattern
	if value == "" {
		value = typedValue(kind)
	}
	if m.form.bare {
		return "(?:=(?:" + value + "))?"
	}
	return "=(?:" + value + ")"
}

// typedValue matches a value of a type of OpenAPI, as default and example write it.
func typedValue(kind string) string {
	switch kind {
	case "string":
		return quoted + "|" + bare
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
	return quoted + "|" + listValue + "|" + jsonValue + "|" + bare
}
