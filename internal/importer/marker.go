package importer

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// addMarker adds a keyword as a marker of the shorthand: minLength: 1 becomes minLength=1. It
// returns false if the shorthand cannot express the keyword for a type (word).
func (w *lineWriter) addMarker(word, name string, n *yaml.Node) bool {
	k := spec.KeywordByName(name)
	if k == nil || k.Marker == "" || !w.takesMarker(word, k) {
		return false
	}
	switch {
	case k.Form() == spec.ValueMarker:
		return w.addValueMarker(k.Marker, n)
	case k.Form() == spec.EnumMarker:
		return w.addEnum(n)
	case name == "required", name == "x-kubernetes-preserve-unknown-fields" && (!isTrue(n) || !strings.HasPrefix(word, "map[")):
		return false
	case name == "x-kubernetes-list-map-keys":
		for _, key := range itemsOf(n) {
			w.add(k.Marker, markerText(key.Value))
		}
		return len(itemsOf(n)) > 0
	case n.Kind != yaml.ScalarNode:
		return false
	}
	switch n.ShortTag() {
	case "!!bool":
		w.add(k.Marker, "")
	case "!!int", "!!float":
		w.add(k.Marker, scalarValue(n))
	case "!!str":
		w.add(k.Marker, markerText(n.Value))
	default:
		return false
	}
	return name != "title" && name != "description" || len(n.Value) <= maxValue
}

// takesMarker reports whether a type of the shorthand takes a marker. Types with a format or a
// pattern, such as time and duration, take no other.
func (w *lineWriter) takesMarker(word string, k *spec.Keyword) bool {
	switch {
	case k.Name == "format":
		return w.base == "string" || word == "integer" || word == "number"
	case k.Types == nil:
		return true
	case k.Class == spec.Limit && w.base == "string" && word != "string":
		return false
	}
	return slices.Contains(k.Types, w.base)
}

// maxValue is the maximum length of a text or a JSON value in the shorthand. Longer ones are easier
// to read as YAML.
const maxValue = 80

func (w *lineWriter) add(name, value string) {
	if value != "" {
		name += "=" + value
	}
	w.markers = append(w.markers, name)
}

// addValueMarker adds a default or an example. It returns false if the value is not of the type.
func (w *lineWriter) addValueMarker(name string, n *yaml.Node) bool {
	value, ok := w.valueText(n)
	if ok {
		w.add(name, value)
	}
	return ok
}

// valueText returns a value as a marker has it: text, true, 3 or {"a": 1}. It returns false if the
// value is not of the type, or too long.
func (w *lineWriter) valueText(n *yaml.Node) (string, bool) {
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
			return quoteText(n.Value), true
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

func (w *lineWriter) addEnum(n *yaml.Node) bool {
	if w.base == "array" || w.base == "object" || n.Kind != yaml.SequenceNode {
		return false
	}
	var items []string
	for _, item := range n.Content {
		value, ok := w.valueText(item)
		if !ok || item.Kind != yaml.ScalarNode {
			return false
		}
		items = append(items, value)
	}
	w.add("enum", "["+strings.Join(items, ", ")+"]")
	return true
}

var bareText = lazyregexp.New(`^[A-Za-z0-9_./:@%*+~^$-]+$`)

// markerText returns a text for a marker, with quotes if it needs them.
func markerText(value string) string {
	if bareText().MatchString(value) {
		return value
	}
	return quoteText(value)
}

// quoteText returns a text in quotes. It prefers backquotes if double quotes would need escapes.
func quoteText(value string) string {
	if strings.ContainsAny(value, `"\`) && !strings.ContainsAny(value, "`\n\t") {
		return "`" + value + "`"
	}
	return escapeText(value)
}

// compactJSON returns a value as JSON on one line, and false if JSON cannot express it, such as
// .inf.
func compactJSON(n *yaml.Node) (string, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		var parts []string
		for _, e := range entriesOf(n) {
			raw, ok := compactJSON(e.value)
			if !ok {
				return "", false
			}
			parts = append(parts, escapeText(e.key.Value)+": "+raw)
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
		raw = escapeText(n.Value)
	}
	return raw, json.Valid([]byte(raw))
}

// isComment reports whether a description can be a comment above its field. The parser must read
// the same text from the comment again.
func isComment(description string) bool {
	return description != "" && spec.IsVisible(description) && !strings.Contains(description, "\r")
}
