package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// partialSchema is a schema without some of its keywords, which the spec file has elsewhere: the
// description in a comment above the field, or in the type.
type partialSchema struct {
	*yaml.Node
	omitted []string
}

// hasKeyword reports whether a keyword is written with the schema.
func (s partialSchema) hasKeyword(e entry) bool { return !slices.Contains(s.omitted, e.key.Value) }

// convertSchema returns a schema that is not a field: in the shorthand if that loses nothing,
// otherwise as a mapping.
func (c *schemaConverter) convertSchema(n *yaml.Node, path string) *yaml.Node {
	if short, ok := c.writeShorthand(partialSchema{Node: n}, false); ok {
		return textNode(short)
	}
	return c.convertOpenAPI(partialSchema{Node: n}, path)
}

// convertOpenAPI returns a schema as a mapping of keywords. It uses the name of a type if it can:
// {type: core/v1.PodSpec, description: …}.
func (c *schemaConverter) convertOpenAPI(s partialSchema, path string) *yaml.Node {
	if name, used := c.typeNameOf(s); name != "" {
		out := newMapping()
		out.set("type", textNode(name))
		for _, e := range entriesOf(s.Node) {
			if s.hasKeyword(e) && !slices.Contains(used, e.key.Value) && !isEmptyKeyword(e) {
				c.setKeyword(out, e, path)
			}
		}
		return out.Node
	}
	return c.convertInline(s, path)
}

// convertInline returns a schema as a mapping of all its keywords. Only the schemas below may
// become names of types. The schema of a type itself is written this way.
func (c *schemaConverter) convertInline(s partialSchema, path string) *yaml.Node {
	n, out := s.Node, newMapping()
	if n.Kind != yaml.MappingNode {
		c.addProblem(n, path, "is no schema", "")
		return out.Node
	}
	fields := lookupKey(n, "properties")
	required := scalarTexts(lookupKey(n, "required"))
	asMarkers := len(required) > 0 && c.allShort(fields, required)
	values := lookupKey(n, "additionalProperties")
	object := fields != nil || values != nil && values.Kind == yaml.MappingNode
	array := lookupKey(n, "items") != nil
	if lookupKey(n, "type") == nil && (object || array || values != nil) {
		out.set("type", textNode("")) // without the key, opgen would derive the type
	}
	for _, e := range entriesOf(n) {
		switch name := e.key.Value; {
		case isEmptyKeyword(e) && name != "description" || !s.hasKeyword(e):
		case name == "type" && (object && e.value.Value == "object" || array && e.value.Value == "array"):
		case name == "required" && asMarkers:
		case name == "properties":
			var marked []string
			if asMarkers {
				marked = required
			}
			out.set(name, c.convertProperties(e.value, marked, path))
		case name == "items":
			out.set(name, c.convertSchema(e.value, path+"[*]"))
		case name == "additionalProperties" && e.value.Kind == yaml.MappingNode:
			out.set(name, c.convertSchema(e.value, path+".*"))
		case name == "additionalProperties":
			out.set(name, boolNode(isTrue(e.value)))
		default:
			c.setKeyword(out, e, path)
		}
	}
	return out.Node
}

// setKeyword copies a keyword whose value has no schemas of the spec language. It adds a problem if
// there is no such keyword.
func (c *schemaConverter) setKeyword(out mapping, e entry, path string) {
	if k := spec.KeywordByName(e.key.Value); k == nil || k.IsOwn() || k.HoldsSchemas() {
		c.addProblem(e.key, path+"."+e.key.Value, "unknown key", "CRDs have no such keyword")
		return
	}
	n := cleanValue(e.value)
	namesOnOneLine(e.key.Value, n)
	out.set(e.key.Value, n)
}

// namesOnOneLine gives lists of names and values flow style, such as required: [a, b], also below
// allOf, anyOf, oneOf and not.
func namesOnOneLine(keyword string, n *yaml.Node) {
	switch keyword {
	case "enum", "required", "x-kubernetes-list-map-keys":
		n.Style = yaml.FlowStyle
	case "allOf", "anyOf", "oneOf":
		for _, tree := range n.Content {
			namesOnOneLine("not", tree)
		}
	case "not", "items", "additionalProperties":
		for _, e := range entriesOf(n) {
			namesOnOneLine(e.key.Value, e.value)
		}
	case "properties":
		for _, e := range entriesOf(n) {
			namesOnOneLine("not", e.value)
		}
	}
}

// convertProperties returns the fields of an object. A description becomes a comment above its
// field if that loses nothing, and the fields in required get the marker required.
func (c *schemaConverter) convertProperties(fields *yaml.Node, required []string, path string) *yaml.Node {
	out := newMapping()
	for _, e := range entriesOf(fields) {
		key, s := textNode(e.key.Value), c.fieldSchema(e.value)
		if len(s.omitted) > 0 {
			key.HeadComment = lookupKey(s.Node, "description").Value
		}
		if short, ok := c.writeShorthand(s, slices.Contains(required, e.key.Value)); ok {
			out.Content = append(out.Content, key, textNode(short))
		} else {
			out.Content = append(out.Content, key, c.convertOpenAPI(s, path+"."+e.key.Value))
		}
	}
	return out.Node
}

// fieldSchema returns the schema of a field, without its description if that becomes a comment.
func (c *schemaConverter) fieldSchema(n *yaml.Node) partialSchema {
	description := lookupKey(n, "description")
	if description == nil || !isComment(description.Value) || c.inheritsDescription(n, description) {
		return partialSchema{Node: n}
	}
	return partialSchema{Node: n, omitted: []string{"description"}}
}

// allShort reports whether every required field exists and can be written in the shorthand, so that
// markers can replace the keyword required.
func (c *schemaConverter) allShort(fields *yaml.Node, required []string) bool {
	for i, name := range required {
		field := lookupKey(fields, name)
		if field == nil || slices.Contains(required[:i], name) {
			return false
		}
		if _, ok := c.writeShorthand(c.fieldSchema(field), true); !ok {
			return false
		}
	}
	return true
}

func isFalse(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && !isTrue(n)
}
