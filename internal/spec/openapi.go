package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// fieldMarks are the parts of a field's schema that belong to the object with the field, such as
// the marker required.
type fieldMarks struct {
	required *Pos // of the marker; nil: not required
	goName   string
	goNameAt Pos
}

// decodeSchema decodes a schema that is not that of a field, but of spec, status, items or map
// values.
func (d *decoder) decodeSchema(n *yaml.Node, path string) *Schema {
	s, m := d.decodeField(n, path)
	d.refuseRequired(m, path)
	if m.goName != "" {
		d.failAt(m.goNameAt, path, "goName does not apply here", "only a field of an object has a Go name")
	}
	return s
}

func (d *decoder) refuseRequired(m fieldMarks, path string) {
	if m.required != nil {
		d.failAt(*m.required, path, "required does not apply here", "only a field of an object can be required")
	}
}

// decodeField decodes the schema of a field in either form: a string is the shorthand, a mapping
// has OpenAPI keywords.
func (d *decoder) decodeField(n *yaml.Node, path string) (*Schema, fieldMarks) {
	switch {
	case n.Kind == yaml.MappingNode:
		return d.decodeOpenAPI(n, path)
	case n.Kind == yaml.ScalarNode && yamltext.IsNull(n):
		d.fail(n, path, "has no value", "write a type, such as string; an object without fields is {type: object}")
	case n.Kind == yaml.ScalarNode:
		if text, ok := d.decodeText(n, path); ok && d.isWhole(n, path) {
			return d.decodeShorthand(n, text, path)
		}
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		d.fail(n, path, "expected a schema, got an empty list", `quote a list type: "[]string"`)
	default:
		d.fail(n, path, "expected a schema, got "+describeNode(n), "write a type such as string, or a mapping with OpenAPI keywords")
	}
	return unknownSchema(d.src.positionOf(n)), fieldMarks{}
}

// unknownSchema returns the schema for a node that could not be decoded. It allows anything, so
// that nothing else is reported about it.
func unknownSchema(pos Pos) *Schema {
	return &Schema{Pos: pos, At: map[string]Pos{}, Keywords: props{XPreserveUnknownFields: new(true)}}
}

// decodeOpenAPI decodes a schema in the form of a mapping.
func (d *decoder) decodeOpenAPI(n *yaml.Node, path string) (*Schema, fieldMarks) {
	s := &Schema{Pos: d.src.positionOf(n), At: map[string]Pos{}}
	var m fieldMarks
	var fields *yaml.Node
	var collection *Schema
	typeName := ""
	d.eachEntry(n, path, func(key, value *yaml.Node, keyPath string) {
		if yamltext.IsNull(value) && !keywordAllowsNull(key.Value) {
			d.fail(value, keyPath, "has no value", "write one, or leave the key out")
			return
		}
		s.At[key.Value] = d.src.positionOf(value)
		switch key.Value {
		case "properties":
			fields = value
		case "items":
			d.decodeItems(s, value, path)
		case "additionalProperties":
			d.decodeAdditionalProperties(s, value, path)
		case "type":
			collection = d.decodeCollection(value, path)
			if collection == nil {
				d.decodeTypeName(s, value, keyPath)
			}
			typeName = value.Value
		case "goName":
			m.goNameAt = d.src.positionOf(value)
			anyText(&m.goName).decode(d, value, keyPath)
		case "goConstants":
			d.decodeGoConstants(s, value, keyPath)
		default:
			d.src.recordPositions(s.At, key.Value, value)
			d.decodeKeyword(&s.Keywords, key, value, keyPath)
		}
	})
	if fields != nil { // after required, which markers of the fields add to
		d.decodeProperties(s, fields, path)
	}
	d.limitToGoType(s, typeName, path)
	d.addCollection(s, collection, typeName, path)
	d.implyType(s, path)
	d.checkGoConstants(s, path)
	return s, m
}

// keywordAllowsNull reports whether a keyword accepts null, as default does. It returns true for unknown
// keywords, which have their own message.
func keywordAllowsNull(key string) bool {
	k := KeywordByName(key)
	return k == nil || k.Form() == ValueMarker
}

// decodeKeyword decodes a keyword with the same meaning in schemas and below allOf, anyOf, oneOf
// and not.
func (d *decoder) decodeKeyword(into *props, key, value *yaml.Node, path string) {
	switch key.Value {
	case "allOf":
		into.AllOf = d.decodeTrees(value, path)
		return
	case "anyOf":
		into.AnyOf = d.decodeTrees(value, path)
		return
	case "oneOf":
		into.OneOf = d.decodeTrees(value, path)
		return
	case "not":
		into.Not = new(d.decodeTree(value, path))
		return
	}
	if k := KeywordByName(key.Value); k != nil && k.field.decode != nil {
		k.field.decode(d, into, value, path)
		return
	}
	if instead, ok := forbiddenKeywords[key.Value]; ok {
		d.fail(key, path, "CRDs do not have "+key.Value, instead)
		return
	}
	hint := suggestName(key.Value, keywordNames())
	if hint == "" {
		hint = "a field goes under properties"
	}
	d.fail(key, path, "unknown key", hint)
}

// decodeTypeName decodes the keyword type: a type of OpenAPI, of Kubernetes or of Go, or a named
// type.
func (d *decoder) decodeTypeName(s *Schema, n *yaml.Node, path string) {
	name, ok := d.decodeText(n, path)
	switch {
	case !ok:
	case name == "": // none, and none is implied
	case slices.Contains(openAPITypes, name):
		s.Keywords.Type = name
	case kubernetesWord(name) != "":
		s.Type = kubernetesWord(name)
	case kubernetesType().MatchString(name), isGoType(name):
		s.Type = name
	case kindName().MatchString(name):
		d.useType(s, name, d.src.positionOf(n), path)
	default:
		d.fail(n, path, quoteShort(name)+" is not a type of OpenAPI or Kubernetes", typeHint(name, openAPITypes))
	}
}

// decodeCollection decodes a list or map type of the shorthand, which the keyword type accepts,
// too: type: "[]core/v1.EnvVar". It returns nil for every other type.
func (d *decoder) decodeCollection(n *yaml.Node, path string) *Schema {
	if n.Kind != yaml.ScalarNode || !strings.HasPrefix(n.Value, "[]") && !strings.HasPrefix(n.Value, "map[string]") {
		return nil
	}
	if s := d.decodeShorthandType(n, n.Value, 0, path, 0); s != nil {
		return s
	}
	return unknownSchema(d.src.positionOf(n))
}

// addCollection adds the items or values of such a type to a schema.
func (d *decoder) addCollection(s, collection *Schema, name, path string) {
	if collection == nil {
		return
	}
	d.refuseHolders(s, "type "+quoteShort(name), path)
	s.Keywords.Type, s.Items, s.AdditionalProperties = collection.Keywords.Type, collection.Items, collection.AdditionalProperties
	for _, key := range []string{"items", "additionalProperties"} {
		if pos, ok := collection.At[key]; ok {
			s.At[key] = pos
		}
	}
}

// refuseHolders adds a problem for fields, items or values next to a type that has its own.
func (d *decoder) refuseHolders(s *Schema, typeText, path string) {
	for _, key := range []string{"properties", "items", "additionalProperties"} {
		if pos, ok := s.At[key]; ok {
			d.failAt(pos, joinPath(path, key), "does not go with "+typeText, "remove one of them")
		}
	}
}

// decodeProperties decodes the fields of an object.
func (d *decoder) decodeProperties(s *Schema, n *yaml.Node, path string) {
	s.Properties = []Property{}
	goNames := map[string]string{}
	d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		p := Property{Pos: d.src.positionOf(key), Name: key.Value}
		var m fieldMarks
		p.Schema, m = d.decodeField(value, path)
		p.GoName = m.goName
		if m.required != nil && !slices.Contains(s.Keywords.Required, p.Name) {
			s.At["required["+strconv.Itoa(len(s.Keywords.Required))+"]"] = *m.required
			s.Keywords.Required = append(s.Keywords.Required, p.Name)
		}
		d.describeByComment(p.Schema, key)
		d.checkFieldName(p, m.goNameAt, path, goNames)
		s.Properties = append(s.Properties, p)
	})
	nameFields(s.Properties)
}

// describeByComment makes the comment above the key of a schema its description, if it has none.
func (d *decoder) describeByComment(s *Schema, key *yaml.Node) {
	if _, described := s.At["description"]; described {
		return
	}
	if text, pos := d.src.commentAbove(key); text != "" {
		s.Keywords.Description, s.At["description"] = text, pos
	}
}

func (d *decoder) decodeItems(s *Schema, n *yaml.Node, path string) {
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		d.fail(n, path+".items", "expected one schema, got a list", "all items of a list have one schema in a CRD")
		return
	}
	s.Items = d.decodeSchema(n, path+"[*]")
}

func (d *decoder) decodeAdditionalProperties(s *Schema, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		s.AdditionalPropertiesAllowed = new(bool)
		d.decodeBool(s.AdditionalPropertiesAllowed, n, path)
		return
	}
	s.AdditionalProperties = d.decodeSchema(n, path+".*")
}

// implyType sets the type that follows from other keywords: object for properties, array for items.
func (d *decoder) implyType(s *Schema, path string) {
	if s.Type != "" || s.Use != nil {
		d.refuseHolders(s, s.typeText(), path)
		return
	}
	if _, set := s.At["type"]; set {
		return
	}
	_, object := s.At["properties"]
	_, array := s.At["items"]
	_, mapped := s.At["additionalProperties"]
	switch {
	case object || mapped:
		s.Keywords.Type = "object"
	case array:
		s.Keywords.Type = "array"
	}
}
