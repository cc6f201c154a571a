package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// keywords are those of OpenAPI v3 that CRDs have, but for properties, items and additionalProperties.
var keywords = []string{
	"type", "format", "title", "description", "default", "example", "enum", "required", "nullable", "externalDocs",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations",
}

// schema returns a schema that is not a field: in the shorthand if that says it all.
func (c *converter) schema(n *yaml.Node, path string) *yaml.Node {
	if short, ok := shorthand(n, false); ok {
		return str(short)
	}
	return c.openAPI(n, path)
}

// openAPI returns a schema as a mapping of keywords.
func (c *converter) openAPI(n *yaml.Node, path string) *yaml.Node {
	out := newMapping()
	if n.Kind != yaml.MappingNode {
		c.fail(n, path, "is no schema", "")
		return out.Node
	}
	if name, used := kubernetesType(n); name != "" {
		out.set("type", str(name))
		n = without(n, used...)
	}
	fields := value(n, "properties")
	asMarkers := allShort(fields, texts(value(n, "required")))
	values := value(n, "additionalProperties")
	object := fields != nil || values != nil && values.Kind == yaml.MappingNode
	array := value(n, "items") != nil
	if value(n, "type") == nil && (object || array || values != nil) {
		out.set("type", str("")) // which they would imply
	}
	for _, e := range entries(n) {
		switch name := e.key.Value; {
		case isNull(e.value) && name != "default" && name != "example" || isFalse(e.value) && name != "default" && name != "example" && name != "additionalProperties":
		case name == "type" && (object && e.value.Value == "object" || array && e.value.Value == "array"):
		case name == "required" && asMarkers:
		case name == "properties":
			var required []string
			if asMarkers {
				required = texts(value(n, "required"))
			}
			out.set(name, c.properties(e.value, required, path))
		case name == "items":
			out.set(name, c.schema(e.value, path+"[*]"))
		case name == "additionalProperties" && e.value.Kind == yaml.MappingNode:
			out.set(name, c.schema(e.value, path+".*"))
		case name == "additionalProperties":
			out.set(name, boolean(isTrue(e.value)))
		default:
			c.keyword(out, e, path)
		}
	}
	return out.Node
}

// keyword sets a keyword that stands as it is.
func (c *converter) keyword(out mapping, e entry, path string) {
	if !slices.Contains(keywords, e.key.Value) {
		c.fail(e.key, path+"."+e.key.Value, "unknown key", "CRDs have no such keyword")
		return
	}
	n := clean(e.value)
	if e.key.Value == "enum" || e.key.Value == "required" || e.key.Value == "x-kubernetes-list-map-keys" {
		n.Style = yaml.FlowStyle
	}
	out.set(e.key.Value, n)
}

// properties returns the fields of an object. Their descriptions are comments where that is lossless, and those
// that are required say so where they are in the shorthand.
func (c *converter) properties(fields *yaml.Node, required []string, path string) *yaml.Node {
	out := newMapping()
	for _, e := range entries(fields) {
		key, n := str(e.key.Value), e.value
		if description := value(n, "description"); description != nil && isComment(description.Value) {
			key.HeadComment = description.Value
			n = undescribed(n)
		}
		fieldPath := path + "." + e.key.Value
		if short, ok := shorthand(n, slices.Contains(required, e.key.Value)); ok {
			n = str(short)
		} else {
			n = c.openAPI(n, fieldPath)
		}
		out.Content = append(out.Content, key, n)
	}
	return out.Node
}

// allShort tells whether every required field is there and is written in the shorthand.
func allShort(fields *yaml.Node, required []string) bool {
	for i, name := range required {
		field := value(fields, name)
		if field == nil || slices.Contains(required[:i], name) {
			return false
		}
		if description := value(field, "description"); description != nil && isComment(description.Value) {
			field = undescribed(field)
		}
		if _, ok := shorthand(field, true); !ok {
			return false
		}
	}
	return true
}

// undescribed returns a schema whose description is a comment: which it has noted, so that it is known to have one.
func undescribed(n *yaml.Node) *yaml.Node {
	out := without(n, "description")
	out.HeadComment = value(n, "description").Value
	return out
}

// without returns a mapping without some of its keys.
func without(n *yaml.Node, names ...string) *yaml.Node {
	out := &yaml.Node{Kind: n.Kind, Line: n.Line, Column: n.Column, HeadComment: n.HeadComment}
	for _, e := range entries(n) {
		if !slices.Contains(names, e.key.Value) {
			out.Content = append(out.Content, e.key, e.value)
		}
	}
	return out
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func isFalse(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && !isTrue(n)
}
