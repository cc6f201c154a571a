package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// marks are what a schema says of itself as a field: they belong to the object that has the field.
type marks struct {
	required *Pos // of the marker; nil: not required
	goName   string
	goNameAt Pos
}

// schema decodes a schema that is not a field: of spec, status, items or map values.
func (d *decoder) schema(n *yaml.Node, path string) *Schema {
	s, m := d.declaration(n, path)
	if m.required != nil {
		d.failAt(*m.required, path, "required does not apply here", "only a field of an object can be required")
	}
	if m.goName != "" {
		d.failAt(m.goNameAt, path, "goName does not apply here", "only a field of an object has a Go name")
	}
	return s
}

// declaration decodes a schema in either form: a string is the shorthand, a mapping is plain OpenAPI.
func (d *decoder) declaration(n *yaml.Node, path string) (*Schema, marks) {
	switch {
	case n.Kind == yaml.MappingNode:
		return d.openAPI(n, path)
	case n.Kind == yaml.ScalarNode && isNull(n):
		d.fail(n, path, "has no value", "write a type, such as string; an object without fields is {type: object}")
	case n.Kind == yaml.ScalarNode:
		if text, ok := d.str(n, path); ok && d.whole(n, path) {
			return d.shorthand(n, text, path)
		}
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		d.fail(n, path, "expected a schema, got an empty list", `quote a list type: "[]string"`)
	default:
		d.fail(n, path, "expected a schema, got "+describe(n), "write a type such as string, or a mapping with OpenAPI keywords")
	}
	return d.unknown(n), marks{}
}

// openAPI decodes a schema that is written as a mapping.
func (d *decoder) openAPI(n *yaml.Node, path string) (*Schema, marks) {
	s := &Schema{Pos: d.src.pos(n), At: map[string]Pos{}}
	var m marks
	var fields *yaml.Node
	var collection *Schema
	typeName := ""
	d.entries(n, path, func(key, value *yaml.Node, keyPath string) {
		if isNull(value) && key.Value != "default" && key.Value != "example" && slices.Contains(schemaKeys, key.Value) {
			d.fail(value, keyPath, "has no value", "write one, or leave the key out")
			return
		}
		s.At[key.Value] = d.src.pos(value)
		switch key.Value {
		case "properties":
			fields = value
		case "items":
			d.items(s, value, path)
		case "additionalProperties":
			d.additionalProperties(s, value, path)
		case "type":
			collection = d.collection(value, path)
			if collection == nil {
				d.typeName(s, value, keyPath)
			}
			typeName = value.Value
		case "goName":
			m.goNameAt = d.src.pos(value)
			d.text(&m.goName)(value, keyPath)
		case "goConstants":
			d.goConstants(s, value, keyPath)
		default:
			d.record(s.At, key.Value, value)
			d.keyword(&s.Keywords, key, value, keyPath)
		}
	})
	if fields != nil { // after required, which markers of the fields add to
		d.properties(s, fields, path)
	}
	d.readable(s, typeName, path)
	d.addCollection(s, collection, typeName, path)
	d.implyType(s, path)
	d.constantsOfEnum(s, path)
	return s, m
}

// keyword decodes a keyword that means the same in a schema and in the trees below allOf, anyOf, oneOf and not.
func (d *decoder) keyword(into *props, key, value *yaml.Node, path string) {
	switch key.Value {
	case "allOf":
		into.AllOf = d.trees(value, path)
		return
	case "anyOf":
		into.AnyOf = d.trees(value, path)
		return
	case "oneOf":
		into.OneOf = d.trees(value, path)
		return
	case "not":
		into.Not = new(d.tree(value, path))
		return
	}
	if decode, ok := keywords[key.Value]; ok {
		decode(d, into, value, path)
		return
	}
	if instead, ok := forbidden[key.Value]; ok {
		d.fail(key, path, "CRDs do not have "+key.Value, instead)
		return
	}
	hint := suggestion(key.Value, schemaKeys)
	if hint == "" {
		hint = "a field goes under properties"
	}
	d.fail(key, path, "unknown key", hint)
}

var openAPITypes = []string{"string", "integer", "number", "boolean", "object", "array"}

// typeName decodes the type of a plain schema: one of OpenAPI's, or a Kubernetes type.
func (d *decoder) typeName(s *Schema, n *yaml.Node, path string) {
	name, ok := d.str(n, path)
	switch {
	case !ok:
	case name == "": // none, and none is implied
	case slices.Contains(openAPITypes, name):
		s.Keywords.Type = name
	case kubernetesWords[name] != "":
		s.Type = kubernetesWords[name]
	case kubernetesType().MatchString(name), isGoType(name):
		s.Type = name
	case typeName().MatchString(name):
		d.use(s, name, d.src.pos(n), path)
	default:
		d.fail(n, path, strconv.Quote(shorten(name))+" is not a type of OpenAPI or Kubernetes", typeHint(name, openAPITypes))
	}
}

// collection decodes a type of the shorthand that has items or values, which a mapping may name as its type, too:
// type: "[]core/v1.EnvVar". It returns nil for every other type.
func (d *decoder) collection(n *yaml.Node, path string) *Schema {
	if n.Kind != yaml.ScalarNode || !strings.HasPrefix(n.Value, "[]") && !strings.HasPrefix(n.Value, "map[string]") {
		return nil
	}
	if s := d.shorthandType(n, n.Value, 0, path, 0); s != nil {
		return s
	}
	return d.unknown(n)
}

// addCollection gives a schema what the type that it names has items or values of.
func (d *decoder) addCollection(s, collection *Schema, name, path string) {
	if collection == nil {
		return
	}
	for _, key := range []string{"properties", "items", "additionalProperties"} {
		if pos, ok := s.At[key]; ok {
			d.failAt(pos, join(path, key), "does not go with type "+quoteShort(name), "remove one of them")
		}
	}
	s.Keywords.Type, s.Items, s.AdditionalProperties = collection.Keywords.Type, collection.Items, collection.AdditionalProperties
	for _, key := range []string{"items", "additionalProperties"} {
		if pos, ok := collection.At[key]; ok {
			s.At[key] = pos
		}
	}
}

// properties decodes the fields of an object.
func (d *decoder) properties(s *Schema, n *yaml.Node, path string) {
	s.Properties = []Property{}
	goNames := map[string]string{}
	d.entries(n, path, func(key, value *yaml.Node, path string) {
		p := Property{Pos: d.src.pos(key), Name: key.Value}
		var m marks
		p.Schema, m = d.declaration(value, path)
		p.GoName = m.goName
		if m.required != nil && !slices.Contains(s.Keywords.Required, p.Name) {
			s.At["required["+strconv.Itoa(len(s.Keywords.Required))+"]"] = *m.required
			s.Keywords.Required = append(s.Keywords.Required, p.Name)
		}
		if _, ok := p.Schema.At["description"]; !ok {
			if text, pos := d.src.commentAbove(key); text != "" {
				p.Schema.Keywords.Description, p.Schema.At["description"] = text, pos
			}
		}
		d.fieldName(p, m.goNameAt, path, goNames)
		s.Properties = append(s.Properties, p)
	})
	nameFields(s.Properties)
}

func (d *decoder) items(s *Schema, n *yaml.Node, path string) {
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		d.fail(n, path+".items", "expected one schema, got a list", "all items of a list have one schema in a CRD")
		return
	}
	s.Items = d.schema(n, path+"[*]")
}

func (d *decoder) additionalProperties(s *Schema, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		s.AdditionalPropertiesAllowed = new(bool)
		d.flag(s.AdditionalPropertiesAllowed)(n, path)
		return
	}
	s.AdditionalProperties = d.schema(n, path+".*")
}

// implyType sets the type that the presence of fields, items or map values leaves no choice about.
func (d *decoder) implyType(s *Schema, path string) {
	_, object := s.At["properties"]
	_, array := s.At["items"]
	_, mapped := s.At["additionalProperties"]
	if s.Type != "" || s.Use != nil {
		for _, key := range []string{"properties", "items", "additionalProperties"} {
			if pos, ok := s.At[key]; ok {
				d.failAt(pos, join(path, key), "does not go with "+s.typeText(), "remove one of them")
			}
		}
		return
	}
	if _, set := s.At["type"]; set {
		return
	}
	switch {
	case object || mapped:
		s.Keywords.Type = "object"
	case array:
		s.Keywords.Type = "array"
	}
}

// trees decodes the schemas below allOf, anyOf or oneOf.
func (d *decoder) trees(n *yaml.Node, path string) []props {
	all := []props{}
	d.list(func(n *yaml.Node, path string) { all = append(all, d.tree(n, path)) })(n, path)
	return all
}

// tree decodes a schema below a logical operator. It only validates and declares nothing, so that it has no
// shorthand, and nothing is implied.
func (d *decoder) tree(n *yaml.Node, path string) props {
	var k props
	if n.Kind == yaml.ScalarNode {
		d.fail(n, path, "expected a mapping, got "+describe(n), "the shorthand is not for schemas below allOf, anyOf, oneOf and not")
		return k
	}
	d.entries(n, path, func(key, value *yaml.Node, path string) {
		if isNull(value) && key.Value != "default" && key.Value != "example" {
			d.fail(value, path, "has no value", "write one, or leave the key out")
			return
		}
		switch key.Value {
		case "properties":
			k.Properties = map[string]props{}
			d.entries(value, path, func(key, value *yaml.Node, path string) { k.Properties[key.Value] = d.tree(value, path) })
		case "items":
			k.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(d.tree(value, path))}
		case "additionalProperties":
			k.AdditionalProperties = d.treeOrBool(value, path)
		default:
			d.keyword(&k, key, value, path)
		}
	})
	return k
}

func (d *decoder) treeOrBool(n *yaml.Node, path string) *apiextv1.JSONSchemaPropsOrBool {
	or := &apiextv1.JSONSchemaPropsOrBool{Allows: true}
	if n.Kind == yaml.ScalarNode {
		d.flag(&or.Allows)(n, path)
		return or
	}
	or.Schema = new(d.tree(n, path))
	return or
}
