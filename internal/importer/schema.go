package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// use is a schema at its place.
type use struct {
	*yaml.Node
	without []string // keywords that are said elsewhere: a description above the field, as a comment
}

// saysKeyword reports whether the use says a keyword itself.
func (u use) saysKeyword(e entry) bool { return !slices.Contains(u.without, e.key.Value) }

// convertSchema returns a schema that is not a field: in the shorthand if that says it all.
func (c *schemaConverter) convertSchema(n *yaml.Node, path string) *yaml.Node {
	if short, ok := c.writeShorthand(use{Node: n}, false); ok {
		return textNode(short)
	}
	return c.convertOpenAPI(use{Node: n}, path)
}

// convertOpenAPI returns a schema as a mapping of keywords.
func (c *schemaConverter) convertOpenAPI(u use, path string) *yaml.Node {
	if name, used := c.byName(u); name != "" {
		out := newMapping()
		out.set("type", textNode(name))
		for _, e := range entriesOf(u.Node) {
			if u.saysKeyword(e) && !slices.Contains(used, e.key.Value) && !isEmptyKeyword(e) {
				c.setKeyword(out, e, path)
			}
		}
		return out.Node
	}
	return c.convertInline(u, path)
}

// convertInline returns a schema as a mapping of keywords, itself by no name.
func (c *schemaConverter) convertInline(u use, path string) *yaml.Node {
	n, out := u.Node, newMapping()
	if n.Kind != yaml.MappingNode {
		c.fail(n, path, "is no schema", "")
		return out.Node
	}
	fields := lookupKey(n, "properties")
	required := scalarTexts(lookupKey(n, "required"))
	asMarkers := len(required) > 0 && c.allShort(fields, required)
	values := lookupKey(n, "additionalProperties")
	object := fields != nil || values != nil && values.Kind == yaml.MappingNode
	array := lookupKey(n, "items") != nil
	if lookupKey(n, "type") == nil && (object || array || values != nil) {
		out.set("type", textNode("")) // which they would imply
	}
	for _, e := range entriesOf(n) {
		switch name := e.key.Value; {
		case isEmptyKeyword(e) && name != "description" || !u.saysKeyword(e):
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

// setKeyword sets a keyword that stands as it is.
func (c *schemaConverter) setKeyword(out mapping, e entry, path string) {
	if k := spec.KeywordByName(e.key.Value); k == nil || k.IsOwn() || k.HoldsSchemas() {
		c.fail(e.key, path+"."+e.key.Value, "unknown key", "CRDs have no such keyword")
		return
	}
	n := cleanValue(e.value)
	namesOnOneLine(e.key.Value, n)
	out.set(e.key.Value, n)
}

// namesOnOneLine lays out the lists of names and values in a keyword, also below allOf, anyOf,
// oneOf and not.
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

// convertProperties returns the fields of an object. Their descriptions are comments where that is
// lossless, and those that are required say so where they are in the shorthand.
func (c *schemaConverter) convertProperties(fields *yaml.Node, required []string, path string) *yaml.Node {
	out := newMapping()
	for _, e := range entriesOf(fields) {
		key, u := textNode(e.key.Value), c.fieldUse(e.value)
		if len(u.without) > 0 {
			key.HeadComment = lookupKey(u.Node, "description").Value
		}
		if short, ok := c.writeShorthand(u, slices.Contains(required, e.key.Value)); ok {
			out.Content = append(out.Content, key, textNode(short))
		} else {
			out.Content = append(out.Content, key, c.convertOpenAPI(u, path+"."+e.key.Value))
		}
	}
	return out.Node
}

// fieldUse returns the schema of a field, without its description if that becomes a comment. A
// description that the field has from its type is not written again.
func (c *schemaConverter) fieldUse(n *yaml.Node) use {
	description := lookupKey(n, "description")
	if description == nil || !isComment(description.Value) || c.fromType(n, description) {
		return use{Node: n}
	}
	return use{Node: n, without: []string{"description"}}
}

// allShort reports whether every required field is there and is written in the shorthand.
func (c *schemaConverter) allShort(fields *yaml.Node, required []string) bool {
	for i, name := range required {
		field := lookupKey(fields, name)
		if field == nil || slices.Contains(required[:i], name) {
			return false
		}
		if _, ok := c.writeShorthand(c.fieldUse(field), true); !ok {
			return false
		}
	}
	return true
}

func isFalse(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && !isTrue(n)
}
