package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// markerKeywords are the OpenAPI keywords that markers write under their own or a shorter name.
var markerKeywords = map[string]string{
	"default": "default", "example": "example", "enum": "enum", "title": "title", "description": "description",
	"format": "format", "pattern": "pattern", "minLength": "minLength", "maxLength": "maxLength",
	"minimum": "minimum", "maximum": "maximum", "multipleOf": "multipleOf",
	"exclusiveMinimum": "exclusiveMinimum", "exclusiveMaximum": "exclusiveMaximum",
	"minItems": "minItems", "maxItems": "maxItems", "minProperties": "minProperties", "maxProperties": "maxProperties",
	"nullable": "nullable", "listType": "x-kubernetes-list-type", "listMapKey": "x-kubernetes-list-map-keys",
	"mapType": "x-kubernetes-map-type", "preserveUnknownFields": "x-kubernetes-preserve-unknown-fields",
	"embeddedResource": "x-kubernetes-embedded-resource",
}

// flagMarkers need no value.
var flagMarkers = []string{"required", "nullable", "exclusiveMinimum", "exclusiveMaximum", "preserveUnknownFields", "embeddedResource"}

// markerTypes are the OpenAPI types that a marker applies to; a marker that is not listed applies to all.
var markerTypes = map[string][]string{
	"minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"},
	"minimum": {"integer", "number"}, "maximum": {"integer", "number"}, "multipleOf": {"integer", "number"},
	"exclusiveMinimum": {"integer", "number"}, "exclusiveMaximum": {"integer", "number"},
	"minItems": {"array"}, "maxItems": {"array"}, "listType": {"array"}, "listMapKey": {"array"},
	"minProperties": {"object"}, "maxProperties": {"object"}, "mapType": {"object"}, "embeddedResource": {"object"},
	"format": {"string", "integer", "number"},
}

// markerReader reads the markers of a shorthand into its schema.
type markerReader struct {
	d        *decoder
	node     *yaml.Node
	text     string
	next     int // byte of text
	path     string
	schema   *Schema
	typeText string
	marks    marks
}

// read reads all markers; after a mistake in quoting, the rest cannot be told apart and is left.
func (r *markerReader) read() {
	seen, before := map[string]bool{}, len(r.d.problems)
	for r.skipSpace(); r.next < len(r.text); r.skipSpace() {
		start := r.next
		name := r.until("= \t\n")
		pos := r.d.src.within(r.node, start)
		valued := r.next < len(r.text) && r.text[r.next] == '='
		if valued {
			r.next++
		}
		value, ok := r.value(name, valued)
		if !ok {
			return
		}
		path := join(r.path, name)
		if name == "|" || name == "" {
			r.d.failAt(pos, r.path, "expected a marker", "markers are separated by spaces: string | required minLength=1")
			continue
		}
		if seen[name] && name != "listMapKey" {
			r.d.failAt(pos, path, "duplicate marker", "")
			continue
		}
		seen[name] = true
		r.marker(name, pos, path, valued, value)
	}
	if len(seen) == 0 && len(r.d.problems) == before {
		r.d.failAt(r.d.src.within(r.node, len(r.text)), r.path, "expected a marker after |", "such as required, or remove the bar")
	}
}

// marker applies one marker.
func (r *markerReader) marker(name string, pos Pos, path string, valued bool, value argument) {
	keyword, known := markerKeywords[name]
	isFlag := slices.Contains(flagMarkers, name)
	switch {
	case !known && name != "required" && name != "goName":
		r.d.failAt(pos, path, "unknown marker", suggestion(name, markerNames()))
		return
	case valued && value.raw == "":
		r.d.failAt(pos, path, "has no value", `an empty text is written `+name+`=""`)
		return
	case !valued && !isFlag:
		r.d.failAt(pos, path, "needs a value", "such as "+name+"=…")
		return
	case !r.applies(name):
		r.d.failAt(pos, path, name+" does not apply to "+r.typeText, r.elsewhere(name))
		return
	}
	switch name {
	case "required":
		on := true
		if valued {
			r.d.flag(&on)(value.node(false), path)
		}
		if on {
			r.marks.required = &pos
		}
	case "goName":
		r.marks.goName, r.marks.goNameAt = value.text, value.pos
	default:
		r.schema.At[keyword] = pos
		r.keyword(name, keyword, path, valued, value)
	}
}

// keyword decodes a marker as the plain form's keyword.
func (r *markerReader) keyword(name, keyword, path string, valued bool, value argument) {
	d, k := r.d, &r.schema.Keywords
	switch {
	case name == "default" || name == "example":
		if raw, ok := r.json(r.schema, value, path); ok {
			if name == "default" {
				k.Default = raw
			} else {
				k.Example = raw
			}
		}
	case name == "enum":
		r.enum(value, path)
	case name == "listMapKey":
		r.schema.At[keyword+"["+strconv.Itoa(len(k.XListMapKeys))+"]"] = value.pos
		k.XListMapKeys = append(k.XListMapKeys, value.text)
	case !valued:
		keywords[keyword](d, k, &yaml.Node{Kind: yaml.ScalarNode, Value: "true"}, path)
	default:
		text := slices.Contains([]string{"title", "description", "format", "pattern", "listType", "mapType"}, name)
		keywords[keyword](d, k, value.node(text), path)
	}
}

// applies says whether a marker fits the type. What a Kubernetes type is, is not known here.
func (r *markerReader) applies(name string) bool {
	types, limited := markerTypes[name]
	declared := r.schema.Declared()
	if !limited || declared.Type != "" || declared.Keywords.Type == "" && r.schema.Use != nil {
		return true
	}
	if name == "format" && plainWords[r.typeText].Format != "" {
		return false
	}
	return slices.Contains(types, declared.Keywords.Type)
}

// elsewhere says where a marker that does not fit may have been meant to go.
func (r *markerReader) elsewhere(name string) string {
	if r.schema.Items != nil {
		return "limits of the items take the plain form: {items: " + strconv.Quote(strings.TrimPrefix(r.typeText, "[]")+" | "+name+"=…") + "}"
	}
	if r.schema.AdditionalProperties != nil {
		return "limits of the values take the plain form: {additionalProperties: " + strconv.Quote(strings.TrimPrefix(r.typeText, "map[string]")+" | "+name+"=…") + "}"
	}
	if format := plainWords[r.typeText].Format; name == "format" && format != "" {
		return "its format is " + format + " already"
	}
	return "it applies to " + strings.Join(markerTypes[name], ", ")
}

// enum decodes the list of an enum, each value by the schema's type.
func (r *markerReader) enum(list argument, path string) {
	items, ok := r.list(list)
	if !ok {
		r.d.failAt(list.pos, path, "expected a list, got "+quoteShort(list.raw), "such as enum=[Plain, Json]")
		return
	}
	r.schema.Keywords.Enum = []apiextv1.JSON{}
	for i, item := range items {
		if raw, ok := r.json(r.schema, item, at(path, i)); ok {
			r.schema.At[at("enum", i)] = item.pos
			r.schema.Keywords.Enum = append(r.schema.Keywords.Enum, *raw)
		}
	}
}

// json returns a value as JSON of the type of a schema.
func (r *markerReader) json(s *Schema, value argument, path string) (*apiextv1.JSON, bool) {
	s = s.Declared()
	problem := func() (*apiextv1.JSON, bool) {
		r.d.failAt(value.pos, path, quoteShort(value.raw)+" is not "+article(s.Keywords.Type), "")
		return nil, false
	}
	textual := s.Keywords.Type == "string" || s.Type == TypeTime || s.Type == TypeDuration
	switch {
	case textual || value.quoted && s.Keywords.Type == "":
		return &apiextv1.JSON{Raw: quoteJSON(value.text)}, true
	case value.quoted:
		return problem()
	case s.Keywords.Type == "array":
		return r.jsonList(s, value, path)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(value.raw)) != nil {
		if s.Type != "" || s.Keywords.Type == "" {
			return &apiextv1.JSON{Raw: quoteJSON(value.text)}, true
		}
		return problem()
	}
	if !fits(s.Keywords.Type, compact.String()) {
		return problem()
	}
	if !r.exact(value, path) {
		return nil, false
	}
	return &apiextv1.JSON{Raw: compact.Bytes()}, true
}

// exact reports a number in a value that Kubernetes would change.
func (r *markerReader) exact(value argument, path string) bool {
	raw := []byte(value.raw)
	if !json.Valid(raw) {
		return true // and no JSON
	}
	if changed := inexactIn(raw); changed != "" {
		message, hint := inexact(changed)
		r.d.failAt(value.pos, path, message, hint)
		return false
	}
	return true
}

// jsonList returns the default of a list: JSON, or values of the type of the items.
func (r *markerReader) jsonList(s *Schema, value argument, path string) (*apiextv1.JSON, bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(value.raw)) == nil && compact.Bytes()[0] == '[' {
		if !r.exact(value, path) {
			return nil, false
		}
		return &apiextv1.JSON{Raw: compact.Bytes()}, true
	}
	items, ok := r.list(value)
	if !ok {
		r.d.failAt(value.pos, path, "expected a list, got "+quoteShort(value.raw), "such as [a, b], or JSON")
		return nil, false
	}
	parts := make([][]byte, 0, len(items))
	for i, item := range items {
		raw, ok := r.json(s.Items, item, at(path, i))
		if !ok {
			return nil, false
		}
		parts = append(parts, raw.Raw)
	}
	return &apiextv1.JSON{Raw: slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))}, true
}

// fits says whether a JSON value is of an OpenAPI type; every value is of no type.
func fits(openAPIType, raw string) bool {
	switch openAPIType {
	case "integer":
		_, ok := number(raw)
		return ok && decimal().MatchString(raw)
	case "number":
		_, ok := number(raw)
		return ok
	case "boolean":
		return raw == "true" || raw == "false"
	case "object":
		return raw[0] == '{'
	}
	return true
}

func article(openAPIType string) string {
	if strings.ContainsAny(openAPIType[:1], "aeiou") {
		return "an " + openAPIType
	}
	return "a " + openAPIType
}

func markerNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(markerKeywords)), "required", "goName")))
}
