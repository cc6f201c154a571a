package importer

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// The markers that stand for keywords of another name.
var markerNames = map[string]string{
	"x-kubernetes-list-type": "listType", "x-kubernetes-map-type": "mapType",
	"x-kubernetes-embedded-resource": "embeddedResource",
}

// marker notes a keyword as a marker. It reports false when it cannot be one.
func (w *lineWriter) marker(word, name string, n *yaml.Node) bool {
	switch name {
	case "description", "title", "nullable":
	case "default", "example":
		return w.json(name, n)
	case "enum":
		return w.enum(n)
	case "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum":
		if w.base != "integer" && w.base != "number" {
			return false
		}
	case "minLength", "maxLength", "pattern":
		if w.base != "string" || word != "string" {
			return false
		}
	case "format":
		if w.base != "string" && word != "integer" && word != "number" {
			return false
		}
	case "minItems", "maxItems", "x-kubernetes-list-type":
		if w.base != "array" {
			return false
		}
	case "x-kubernetes-list-map-keys":
		for _, key := range elements(n) {
			w.add("listMapKey", markerText(key.Value))
		}
		return w.base == "array" && len(elements(n)) > 0
	case "minProperties", "maxProperties", "x-kubernetes-map-type", "x-kubernetes-embedded-resource":
		if w.base != "object" {
			return false
		}
	case "x-kubernetes-preserve-unknown-fields":
		if !isTrue(n) || !strings.HasPrefix(word, "map[") {
			return false
		}
		name = "preserveUnknownFields"
	default:
		return false
	}
	if n.Kind != yaml.ScalarNode {
		return false
	}
	if short, found := markerNames[name]; found {
		name = short
	}
	switch n.ShortTag() {
	case "!!bool":
		w.add(name, "")
	case "!!int", "!!float":
		w.add(name, scalarValue(n))
	case "!!str":
		w.add(name, markerText(n.Value))
	default:
		return false
	}
	return name != "title" && name != "description" || len(n.Value) <= maxValue
}

// maxValue is how long a text or a JSON value in the shorthand may be.
const maxValue = 80

func (w *lineWriter) add(name, value string) {
	if value != "" {
		name += "=" + value
	}
	w.markers = append(w.markers, name)
}

// json notes a default or an example.
func (w *lineWriter) json(name string, n *yaml.Node) bool {
	value, ok := w.value(n)
	if ok {
		w.add(name, value)
	}
	return ok
}

// value returns a value of the type as a marker has it.
func (w *lineWriter) value(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		raw, ok := compactJSON(n)
		kind := map[yaml.Kind]string{yaml.MappingNode: "object", yaml.SequenceNode: "array"}[n.Kind]
		return raw, ok && w.base == kind && len(raw) <= maxValue
	}
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		switch {
		case w.base == "string" && n.Value != "":
			return markerText(n.Value), true
		case w.base == "string":
			return `""`, true
		case w.base == "":
			return quoted(n.Value), true
		}
	case "!!bool":
		return scalarValue(n), w.base == "boolean" || w.base == ""
	case "!!int":
		return scalarValue(n), w.base == "integer" || w.base == "number" || w.base == ""
	case "!!float":
		return scalarValue(n), w.base == "number" || w.base == ""
	}
	return "", false
}

func (w *lineWriter) enum(n *yaml.Node) bool {
	if w.base == "array" || w.base == "object" || n.Kind != yaml.SequenceNode {
		return false
	}
	var items []string
	for _, item := range n.Content {
		value, ok := w.value(item)
		if !ok || item.Kind != yaml.ScalarNode {
			return false
		}
		items = append(items, value)
	}
	w.add("enum", "["+strings.Join(items, ", ")+"]")
	return true
}

var bareText = lazyregexp.New(`^[A-Za-z0-9_./:@%*+~^$-]+$`)

// markerText returns a text as a marker has it: without quotes where it needs none.
func markerText(value string) string {
	if bareText().MatchString(value) {
		return value
	}
	return quoted(value)
}

// quoted returns a text in the quotes that are easier to read.
func quoted(value string) string {
	if strings.ContainsAny(value, `"\`) && !strings.ContainsAny(value, "`\n\t") {
		return "`" + value + "`"
	}
	return escaped(value)
}

// compactJSON returns any value as JSON on one line.
func compactJSON(n *yaml.Node) (string, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		var parts []string
		for _, e := range entries(n) {
			raw, ok := compactJSON(e.value)
			if !ok {
				return "", false
			}
			parts = append(parts, escaped(e.key.Value)+": "+raw)
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	case yaml.SequenceNode:
		var parts []string
		for _, item := range n.Content {
			raw, ok := compactJSON(item)
			if !ok {
				return "", false
			}
			parts = append(parts, raw)
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	raw := scalarValue(n)
	if tag := n.ShortTag(); tag == "!!str" || tag == "!!timestamp" {
		raw = escaped(n.Value)
	}
	return raw, json.Valid([]byte(raw))
}

// isComment tells whether a description can stand as a comment above its field, word for word.
func isComment(description string) bool {
	return description != "" && spec.IsVisible(description) && !strings.Contains(description, "\r")
}
