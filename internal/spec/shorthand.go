package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// The shorthand writes a schema as one string:
//
//	schema = type [ "|" marker { marker } ] .
//	type   = word | kubernetes | go | named | "[]" type | "map[string]" type .
//	word   = "string" | "bool" | "boolean" | "int32" | "int64" | "integer" | "float" | "double" | "number"
//	       | "time" | "duration" | "quantity" | "intOrString" | "object" | "any" .
//	kubernetes = package "." GoName .            such as core/v1.ResourceRequirements
//	go     = import path "." GoName .            such as github.com/prometheus/common/model.Duration
//	named  = GoName .                            one of types
//	marker = name [ "=" value ] .                markers are separated by spaces
//	value  = bare | quoted | list | json .
//	bare   = any characters but spaces, not starting with a quote .
//	quoted = a string in double quotes with the escapes of JSON, or anything between backquotes .
//	list   = "[" [ item { "," item } ] "]" .     items are bare (without commas and brackets) or quoted
//	json   = a JSON array or object .            of default and example, for lists, maps, objects and any
//
// Markers apply to the whole type: those of "[]string" to the list, not to its items. What shall
// apply to items takes the plain form: {items: string | minLength=1, maxItems: 5}.

var kubernetesType = lazyregexp.New(`^[a-z][a-z0-9]*(/v[a-z0-9]+)?\.[A-Z][A-Za-z0-9]*$`)

// decodeShorthand decodes a schema from the text of the scalar n.
func (d *decoder) decodeShorthand(n *yaml.Node, text, path string) (*Schema, fieldMarks) {
	typeText, markers, piped := strings.Cut(text, "|")
	lead := len(typeText) - len(strings.TrimLeft(typeText, " \t\n"))
	typeText = strings.TrimSpace(typeText)
	s := d.decodeShorthandType(n, typeText, lead, path, 0)
	switch {
	case s == nil:
		return unknownSchema(d.src.positionOf(n)), fieldMarks{}
	case !piped:
		return s, fieldMarks{}
	}
	tokens := tokenReader{d: d, node: n, text: text, next: len(text) - len(markers), path: path}
	r := &markerReader{tokenReader: tokens, schema: s, typeText: typeText}
	r.readMarkers()
	d.limitToGoType(s, typeText, path)
	return s, r.marks
}

// decodeShorthandType decodes the type that begins at a byte of the text. It adds a problem and
// returns nil if there is none.
func (d *decoder) decodeShorthandType(n *yaml.Node, text string, start int, path string, depth int) *Schema {
	pos := d.src.positionWithin(n, start)
	s := &Schema{Pos: pos, At: map[string]Pos{"type": pos}}
	if depth > maxDepth {
		d.failAt(pos, path, "is nested too deep", "")
		return nil
	}
	if item, ok := strings.CutPrefix(text, "[]"); ok {
		s.Keywords.Type, s.At["items"] = "array", pos
		s.Items = d.decodeShorthandType(n, item, start+len("[]"), path+"[*]", depth+1)
		if s.Items == nil {
			return nil
		}
		return s
	}
	if value, ok := strings.CutPrefix(text, "map[string]"); ok {
		s.Keywords.Type, s.At["additionalProperties"] = "object", pos
		s.AdditionalProperties = d.decodeShorthandType(n, value, start+len("map[string]"), path+".*", depth+1)
		if s.AdditionalProperties == nil {
			return nil
		}
		return s
	}
	word := typeWord(text)
	switch {
	case word != nil && word.Kubernetes != "":
		s.Type = word.Kubernetes
	case word != nil:
		s.Keywords = word.impliedKeywords(text)
	case kubernetesType().MatchString(text), isGoType(text):
		s.Type = text
	case kindName().MatchString(text):
		if !d.useType(s, text, pos, path) {
			return nil
		}
	default:
		d.refuseType(pos, text, path)
		return nil
	}
	d.limitToGoType(s, text, path)
	return s
}

// listWords are names of lists in other languages, for hints.
var listWords = []string{"array", "list"}

// longGroup matches a Kubernetes type with its full API group, such as
// networking.k8s.io/v1.NetworkPolicySpec, for hints.
var longGroup = lazyregexp.New(`^([a-z]+)(?:\.[a-z0-9]+)*\.k8s\.io/(v[0-9a-z]+\.[A-Z][A-Za-z0-9]*)$`)

// refuseType adds a problem for a text that is not a type.
func (d *decoder) refuseType(pos Pos, text, path string) {
	switch first, _, spaced := strings.Cut(text, " "); {
	case text == "":
		d.failAt(pos, path, "lacks a type", "such as string")
	case spaced:
		d.failAt(pos, path, quoteShort(text)+" is not a type", "markers follow a bar: "+strings.TrimRight(first, ",;")+" | required")
	case strings.HasPrefix(text, "map["):
		d.failAt(pos, path, quoteShort(text)+" is not a type", "keys of maps are strings: map[string]string")
	case strings.HasSuffix(text, "[]"), slices.Contains(listWords, text):
		d.failAt(pos, path, quoteShort(text)+" is not a type", `a list names the type of its items: "[]string"`)
	case longGroup().MatchString(text):
		d.failAt(pos, path, quoteShort(text)+" is not a type", "a Kubernetes type is written with the first part of its group: "+longGroup().ReplaceAllString(text, "$1/$2"))
	default:
		d.failAt(pos, path, quoteShort(text)+" is not a type", typeHint(text, shorthandTypes()))
	}
}
