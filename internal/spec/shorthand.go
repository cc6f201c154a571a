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
// Markers apply to the whole type: those of "[]string" to the list, not to its items. What shall apply to items
// takes the plain form: {items: string | minLength=1, maxItems: 5}.

// plainWords are the words of the shorthand that stand for plain OpenAPI.
var plainWords = map[string]props{
	"string":  {Type: "string"},
	"bool":    {Type: "boolean"},
	"boolean": {Type: "boolean"},
	"int32":   {Type: "integer", Format: "int32"},
	"int64":   {Type: "integer", Format: "int64"},
	"integer": {Type: "integer"},
	"float":   {Type: "number", Format: "float"},
	"double":  {Type: "number", Format: "double"},
	"number":  {Type: "number"},
	"object":  {Type: "object", XPreserveUnknownFields: new(true)},
	"any":     {XPreserveUnknownFields: new(true)},
}

// kubernetesWords are the words of the shorthand that stand for a Kubernetes type.
var kubernetesWords = map[string]string{
	"time":        TypeTime,
	"duration":    TypeDuration,
	"quantity":    TypeQuantity,
	"intOrString": TypeIntOrString,
}

var kubernetesType = lazyregexp.New(`^[a-z][a-z0-9]*(/v[a-z0-9]+)?\.[A-Z][A-Za-z0-9]*$`)

// shorthand decodes a schema from a string: the value of the scalar n.
func (d *decoder) shorthand(n *yaml.Node, text, path string) (*Schema, marks) {
	typeText, markers, piped := strings.Cut(text, "|")
	lead := len(typeText) - len(strings.TrimLeft(typeText, " \t\n"))
	s := d.shorthandType(n, strings.TrimSpace(typeText), lead, path, 0)
	if !piped || s == nil {
		if s == nil {
			s = d.unknown(n)
		}
		return s, marks{}
	}
	r := &markerReader{d: d, node: n, text: text, next: len(text) - len(markers), path: path, schema: s, typeText: strings.TrimSpace(typeText)}
	r.read()
	d.readable(s, r.typeText, path)
	return s, r.marks
}

// unknown is the schema of what could not be read: it may be anything, so that nothing else is said of it.
func (d *decoder) unknown(n *yaml.Node) *Schema {
	return &Schema{Pos: d.src.pos(n), At: map[string]Pos{}, Keywords: props{XPreserveUnknownFields: new(true)}}
}

// shorthandType decodes the type at a byte of the scalar n; it returns nil after reporting what is no type.
func (d *decoder) shorthandType(n *yaml.Node, text string, start int, path string, depth int) *Schema {
	pos := d.src.within(n, start)
	s := &Schema{Pos: pos, At: map[string]Pos{"type": pos}}
	if depth > maxDepth {
		d.failAt(pos, path, "is nested too deep", "")
		return nil
	}
	if item, ok := strings.CutPrefix(text, "[]"); ok {
		s.Keywords.Type, s.At["items"] = "array", pos
		s.Items = d.shorthandType(n, item, start+len("[]"), path+"[*]", depth+1)
		if s.Items == nil {
			return nil
		}
		return s
	}
	if value, ok := strings.CutPrefix(text, "map[string]"); ok {
		s.Keywords.Type, s.At["additionalProperties"] = "object", pos
		s.AdditionalProperties = d.shorthandType(n, value, start+len("map[string]"), path+".*", depth+1)
		if s.AdditionalProperties == nil {
			return nil
		}
		return s
	}
	plain, isPlain := plainWords[text]
	switch {
	case isPlain:
		s.Keywords = plain
		if plain.XPreserveUnknownFields != nil { // which is not shared
			s.Keywords.XPreserveUnknownFields = new(true)
		}
	case kubernetesWords[text] != "":
		s.Type = kubernetesWords[text]
	case kubernetesType().MatchString(text), isGoType(text):
		s.Type = text
	case typeName().MatchString(text):
		if !d.use(s, text, pos, path) {
			return nil
		}
	default:
		d.badType(pos, text, path)
		return nil
	}
	d.readable(s, text, path)
	return s
}

// listWords are what other languages call a list.
var listWords = []string{"array", "list"}

// longGroup is a Kubernetes type with its whole API group, such as networking.k8s.io/v1.NetworkPolicySpec.
var longGroup = lazyregexp.New(`^([a-z]+)(?:\.[a-z0-9]+)*\.k8s\.io/(v[0-9a-z]+\.[A-Z][A-Za-z0-9]*)$`)

func (d *decoder) badType(pos Pos, text, path string) {
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
		d.failAt(pos, path, quoteShort(text)+" is not a type", typeHint(text, shorthandWords()))
	}
}

func shorthandWords() []string {
	all := []string{"[]string", "map[string]string"}
	for word := range plainWords {
		all = append(all, word)
	}
	for word := range kubernetesWords {
		all = append(all, word)
	}
	slices.Sort(all)
	return all
}

// typeHint proposes what may have been meant by an unknown type.
func typeHint(name string, known []string) string {
	if best := closest(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if slices.Contains(shorthandWords(), name) {
		return "that is a word of the shorthand, which stands in the place of the whole mapping"
	}
	if strings.Contains(name, "/") {
		return "a Kubernetes type is written like core/v1.ResourceRequirements, any other Go type with its import path, like example.com/lib/api.Address"
	}
	return "known: " + strings.Join(known, ", ") + ", Kubernetes types such as core/v1.ResourceRequirements, Go types by their import path, and those under types"
}
