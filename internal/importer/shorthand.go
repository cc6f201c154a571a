package importer

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// shorthand returns a schema as one line, if that loses nothing.
func (c *converter) shorthand(u use, required bool) (string, bool) {
	if u.Kind != yaml.MappingNode {
		return "", false
	}
	w := lineWriter{}
	text, ok := c.typeText(&w, u)
	if !ok {
		return "", false
	}
	if required {
		w.markers = append([]string{"required"}, w.markers...)
	}
	if len(w.markers) > 0 {
		text += " | " + strings.Join(w.markers, " ")
	}
	return text, true
}

// lineWriter collects the markers of a schema in the shorthand.
type lineWriter struct {
	base    string // OpenAPI type that the values of markers have; empty: any
	markers []string
}

// typeText returns the type, and notes all that it does not say as markers.
func (c *converter) typeText(w *lineWriter, u use) (string, bool) {
	word, used := c.byName(u)
	if word == "" {
		word, used = c.typeWord(u.Node)
	}
	if word == "" {
		return "", false
	}
	if !slices.Contains(used, "properties") || !strings.Contains(word, ".") { // the parser knows no Kubernetes type
		w.base = text(value(u.Node, "type"))
	}
	for _, e := range entries(u.Node) {
		if !u.says(e) || slices.Contains(used, e.key.Value) || isUnsaid(e) && e.key.Value != "description" {
			continue
		}
		if !w.marker(word, e.key.Value, e.value) {
			return "", false
		}
	}
	return word, true
}

// typeWord returns the type of a schema in the shorthand, with the keywords that it stands for; empty when there is
// none.
func (c *converter) typeWord(n *yaml.Node) (word string, used []string) {
	openAPI, format := text(value(n, "type")), text(value(n, "format"))
	preserve := isTrue(value(n, "x-kubernetes-preserve-unknown-fields"))
	const preserveKey = "x-kubernetes-preserve-unknown-fields"
	switch openAPI {
	case "":
		if isTrue(value(n, "x-kubernetes-int-or-string")) {
			return intOrString(n)
		}
		if preserve && value(n, "properties") == nil && value(n, "items") == nil && value(n, "additionalProperties") == nil {
			return "any", []string{preserveKey}
		}
	case "string":
		if format == "date-time" {
			return "time", []string{"type", "format"}
		}
		return "string", []string{"type"}
	case "boolean":
		return "bool", []string{"type"}
	case "integer":
		if format == "int32" || format == "int64" {
			return format, []string{"type", "format"}
		}
		return "integer", []string{"type"}
	case "number":
		if format == "float" || format == "double" {
			return format, []string{"type", "format"}
		}
		return "number", []string{"type"}
	case "array":
		if element, ok := c.elementWord(value(n, "items")); ok {
			return "[]" + element, []string{"type", "items"}
		}
	case "object":
		if values := value(n, "additionalProperties"); values != nil {
			if element, ok := c.elementWord(values); ok && value(n, "properties") == nil {
				return "map[string]" + element, []string{"type", "additionalProperties"}
			}
			return "", nil
		}
		if preserve && value(n, "properties") == nil {
			return "object", []string{"type", preserveKey}
		}
	}
	return "", nil
}

// elementWord returns the type of items or values, which have no markers.
func (c *converter) elementWord(n *yaml.Node) (string, bool) {
	if n == nil || n.Kind != yaml.MappingNode {
		return "", false
	}
	var w lineWriter
	word, ok := c.typeText(&w, use{Node: n})
	return word, ok && len(w.markers) == 0
}

// quantityPattern is the pattern of resource.Quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// intOrString returns the words for the usual pair of types, and for it with the pattern of quantities.
func intOrString(n *yaml.Node) (word string, used []string) {
	pair := elements(value(n, "anyOf"))
	if len(pair) != 2 || !isType(pair[0], "integer") || !isType(pair[1], "string") {
		return "", nil
	}
	used = []string{"x-kubernetes-int-or-string", "anyOf"}
	if text(value(n, "pattern")) == quantityPattern {
		return "quantity", append(used, "pattern")
	}
	if value(n, "pattern") != nil {
		return "", nil
	}
	return "intOrString", used
}

func isType(n *yaml.Node, name string) bool {
	return len(entries(n)) == 1 && text(value(n, "type")) == name
}

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
		if w.base != "string" || word == "time" {
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

var bareText = regexp.MustCompile(`^[A-Za-z0-9_./:@%*+~^$-]+$`)

// markerText returns a text as a marker has it: without quotes where it needs none.
func markerText(value string) string {
	if bareText.MatchString(value) {
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
