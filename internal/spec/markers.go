package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// markerReader reads the markers of a shorthand, and applies them to its schema.
type markerReader struct {
	tokenReader
	schema   *Schema
	typeText string
	marks    fieldMarks
}

// readMarkers reads all markers. It stops after a quote that is not closed, as it cannot tell where
// the next marker begins.
func (r *markerReader) readMarkers() {
	seen, before := map[string]bool{}, len(r.d.problems)
	for r.skipSpace(); r.next < len(r.text); r.skipSpace() {
		start := r.next
		name := r.readUntil("= \t\n")
		pos := r.d.src.positionWithin(r.node, start)
		valued := r.next < len(r.text) && r.text[r.next] == '='
		if valued {
			r.next++
		}
		value, ok := r.readArgument(name, valued, r.takesBrackets(name))
		if !ok {
			return
		}
		path := joinPath(r.path, name)
		if name == "|" || name == "" {
			r.d.failAt(pos, r.path, "expected a marker", "markers are separated by spaces: string | required minLength=1")
			continue
		}
		if seen[name] && name != "listMapKey" {
			r.d.failAt(pos, path, "duplicate marker", "")
			continue
		}
		seen[name] = true
		r.applyMarker(name, pos, path, valued, value)
	}
	if len(seen) == 0 && len(r.d.problems) == before {
		r.d.failAt(r.d.src.positionWithin(r.node, len(r.text)), r.path, "expected a marker after |", "such as required, or remove the bar")
	}
}

// takesBrackets reports whether brackets in the value of a marker enclose a list or an object. For
// other markers, such as pattern, they are text.
func (r *markerReader) takesBrackets(name string) bool {
	k := keywordIndex().byMarker[name]
	return k != nil && (k.Form() == EnumMarker || k.Form() == ValueMarker && r.schema.Declared().Keywords.Type != "string")
}

// applyMarker applies one marker.
func (r *markerReader) applyMarker(name string, pos Pos, path string, valued bool, value argument) {
	k := keywordIndex().byMarker[name]
	switch {
	case k == nil:
		r.d.failAt(pos, path, "unknown marker", suggestName(name, markerNames()))
		return
	case valued && value.raw == "":
		r.d.failAt(pos, path, "has no value", `an empty text is written `+name+`=""`)
		return
	case !valued && k.Form() != FlagMarker:
		r.d.failAt(pos, path, "needs a value", "such as "+name+"=…")
		return
	case !r.appliesHere(k):
		r.d.failAt(pos, path, name+" does not apply to "+r.typeText, r.placeHint(k))
		return
	}
	switch name {
	case "required":
		on := true
		if valued {
			r.d.decodeBool(&on, value.asNode(false), path)
		}
		if on {
			r.marks.required = &pos
		}
	case "goName":
		r.marks.goName, r.marks.goNameAt = value.text, value.pos
	default:
		r.schema.At[k.Name] = pos
		r.applyKeyword(k, path, valued, value)
	}
}

// applyKeyword decodes the value of a marker as that of its keyword.
func (r *markerReader) applyKeyword(k *Keyword, path string, valued bool, value argument) {
	into := &r.schema.Keywords
	switch {
	case k.Name == "default":
		if raw, ok := r.valueJSON(r.schema, value, path); ok {
			into.Default = raw
		}
	case k.Name == "example":
		if raw, ok := r.valueJSON(r.schema, value, path); ok {
			into.Example = raw
		}
	case k.Form() == EnumMarker:
		r.applyEnum(value, path)
	case k.Marker == "listMapKey":
		r.schema.At[indexPath(k.Name, len(into.XListMapKeys))] = value.pos
		into.XListMapKeys = append(into.XListMapKeys, value.text)
	case !valued:
		k.field.decode(r.d, into, &yaml.Node{Kind: yaml.ScalarNode, Value: "true"}, path)
	default:
		isText := k.Form() == TextMarker || k.Form() == WordMarker
		k.field.decode(r.d, into, value.asNode(isText), path)
	}
}

// appliesHere reports whether a marker applies to the type of the schema. It returns true for a
// Kubernetes type, since package spec does not know its schema.
func (r *markerReader) appliesHere(k *Keyword) bool {
	declared := r.schema.Declared()
	if k.Types == nil || declared.Type != "" || declared.Keywords.Type == "" && r.schema.Use != nil {
		return true
	}
	if k.Name == "format" && impliedFormat(r.typeText) != "" {
		return false
	}
	return slices.Contains(k.Types, declared.Keywords.Type)
}

// placeHint returns a hint to the form in which a marker would apply.
func (r *markerReader) placeHint(k *Keyword) string {
	plain := func(keyword, prefix string) string {
		return "{" + keyword + ": " + strconv.Quote(strings.TrimPrefix(r.typeText, prefix)+" | "+k.Marker+"=…") + "}"
	}
	if r.schema.Items != nil {
		return "limits of the items take the plain form: " + plain("items", "[]")
	}
	if r.schema.AdditionalProperties != nil {
		return "limits of the values take the plain form: " + plain("additionalProperties", "map[string]")
	}
	if format := impliedFormat(r.typeText); k.Name == "format" && format != "" {
		return "its format is " + format + " already"
	}
	return "it applies to " + strings.Join(k.Types, ", ")
}
