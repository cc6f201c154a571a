package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// writeShorthand returns a schema in the shorthand, such as "string | required minLength=1". It
// returns false if the shorthand would lose something.
func (c *schemaConverter) writeShorthand(s partialSchema, required bool) (string, bool) {
	if s.Kind != yaml.MappingNode {
		return "", false
	}
	w := lineWriter{}
	text, ok := c.typeText(&w, s)
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

// typeText returns the type of a schema, and adds all keywords that the type does not imply as
// markers. It returns false if there is no such type, or a keyword has no marker.
func (c *schemaConverter) typeText(w *lineWriter, s partialSchema) (string, bool) {
	word, used := c.typeNameOf(s)
	if word == "" {
		word, used = c.typeWord(s.Node)
	}
	if word == "" {
		return "", false
	}
	if !slices.Contains(used, "properties") || !strings.Contains(word, ".") { // the parser does not check values against types of Kubernetes
		w.base = scalarText(lookupKey(s.Node, "type"))
	}
	for _, e := range entriesOf(s.Node) {
		if !s.hasKeyword(e) || slices.Contains(used, e.key.Value) || isEmptyKeyword(e) && e.key.Value != "description" {
			continue
		}
		if !w.addMarker(word, e.key.Value, e.value) {
			return "", false
		}
	}
	return word, true
}

// typeWord returns the type of a schema in the shorthand, and the keywords that it implies: for
// {type: integer, format: int32} it returns int32, type and format. It returns "" if the shorthand
// has no such type.
func (c *schemaConverter) typeWord(n *yaml.Node) (word string, used []string) {
	openAPI, format := scalarText(lookupKey(n, "type")), scalarText(lookupKey(n, "format"))
	preserve := isTrue(lookupKey(n, "x-kubernetes-preserve-unknown-fields"))
	const preserveKey = "x-kubernetes-preserve-unknown-fields"
	switch openAPI {
	case "":
		if isTrue(lookupKey(n, "x-kubernetes-int-or-string")) {
			return intOrString(n)
		}
		if preserve && lookupKey(n, "properties") == nil && lookupKey(n, "items") == nil && lookupKey(n, "additionalProperties") == nil {
			return "any", []string{preserveKey}
		}
	case "string":
		return stringWord(format, scalarText(lookupKey(n, "pattern")))
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
		if element, ok := c.elementWord(lookupKey(n, "items")); ok {
			return "[]" + element, []string{"type", "items"}
		}
	case "object":
		if values := lookupKey(n, "additionalProperties"); values != nil {
			if element, ok := c.elementWord(values); ok && lookupKey(n, "properties") == nil {
				return "map[string]" + element, []string{"type", "additionalProperties"}
			}
			return "", nil
		}
		if preserve && lookupKey(n, "properties") == nil {
			return "object", []string{"type", preserveKey}
		}
	}
	return "", nil
}

// elementWord returns the type of items or values. It returns false if they need markers, which the
// shorthand does not have for elements.
func (c *schemaConverter) elementWord(n *yaml.Node) (string, bool) {
	if n == nil || n.Kind != yaml.MappingNode {
		return "", false
	}
	var w lineWriter
	word, ok := c.typeText(&w, partialSchema{Node: n})
	return word, ok && len(w.markers) == 0
}

// stringWord returns the type for a string with a format and a pattern. The types time and duration
// have a pattern that accepts only what Go can parse. A date-time without that pattern becomes the
// Kubernetes type, meta/v1.Time.
func stringWord(format, pattern string) (word string, used []string) {
	switch {
	case format == "date-time" && pattern == spec.TimePattern:
		return "time", []string{"type", "format", "pattern"}
	case format == "date-time" && pattern == spec.MicroTimePattern:
		return spec.TypeMicroTime, []string{"type", "format", "pattern"}
	case format == "date-time":
		return spec.TypeTime, []string{"type", "format"}
	case format == "" && pattern == spec.DurationPattern:
		return "duration", []string{"type", "pattern"}
	}
	return "string", []string{"type"}
}

// quantityPattern is the pattern that controller-gen gives a resource.Quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// intOrString returns the type for anyOf integer and string: intOrString, or quantity with the
// pattern of quantities. If the schema accepts more than Go can parse, such as integers beyond
// int32, it returns the Kubernetes type.
func intOrString(n *yaml.Node) (word string, used []string) {
	pair := itemsOf(lookupKey(n, "anyOf"))
	if len(pair) != 2 || !isType(pair[0], "integer") || !isType(pair[1], "string") {
		return "", nil
	}
	used = []string{"x-kubernetes-int-or-string", "anyOf"}
	switch scalarText(lookupKey(n, "pattern")) {
	case spec.QuantityPattern:
		return "quantity", append(used, "pattern")
	case quantityPattern:
		return spec.TypeQuantity, append(used, "pattern")
	case "":
		if scalarText(lookupKey(n, "minimum")) == strconv.Itoa(math.MinInt32) && scalarText(lookupKey(n, "maximum")) == strconv.Itoa(math.MaxInt32) {
			return "intOrString", append(used, "minimum", "maximum")
		}
		return spec.TypeIntOrString, used
	}
	return "", nil
}

func isType(n *yaml.Node, name string) bool {
	return len(entriesOf(n)) == 1 && scalarText(lookupKey(n, "type")) == name
}
