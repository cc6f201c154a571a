package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// The spec language is a table. Each mapping of a spec file is a Mapping (keys_*.go), each key of
// it one row: its name, what it means, and its value, which decodes itself and describes itself to
// editors. Rules say which keys exclude or require others (rules.go). The keywords of schemas are
// rows too (keywords.go), as are the words of types (typewords.go). The parser, the JSON Schema,
// the tables of docs/spec.md and the importer read these tables.

// Mapping is a mapping of a spec file with its keys. It accepts no others.
type Mapping struct {
	Name string // such as child
	Keys []Key
	// renamed maps keys of earlier versions of the language to those of today, for hints.
	renamed map[string]string
	rules   []rule
	// pos is set to the position of the mapping; it may be nil.
	pos *Pos
	// finish sets defaults that depend on several keys, and checks keys together; it may be nil.
	finish func(d *decoder, n *yaml.Node, path string)
	// refine changes the JSON Schema of the mapping; it may be nil.
	refine func(*jsonschema.Schema)
}

// Key is a row: one key of a mapping.
type Key struct {
	Name     string
	Required bool
	Absent   string // Markdown: the meaning of an absent key that has no default value
	Doc      string // Markdown, part of a sentence; empty: the words of the value say it
	value    value
}

// value is what a key accepts. decode stores it in a target: functions that return a value, such as
// oneWord(&c.Update, …), take the target as into, and are named after what they accept.
type value struct {
	decode  func(d *decoder, n *yaml.Node, path string)
	schema  func(l *Language) *jsonschema.Schema
	preset  string   // the default, as it is written; empty: none
	accepts []string // the only texts; nil: others, too
}

// Default returns the default of a key as YAML, or "".
func (k *Key) Default() string { return k.value.preset }

// Means returns what a key means, in Markdown.
func (k *Key) Means() string {
	if k.Doc != "" {
		return k.Doc
	}
	words := k.value.accepts
	last := len(words) - 1
	return "`" + strings.Join(words[:last], "`, `") + "` or `" + words[last] + "`"
}

// key returns the row of a key, or nil.
func (m *Mapping) key(name string) *Key {
	if i := slices.IndexFunc(m.Keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return &m.Keys[i]
	}
	return nil
}

// keyNames returns the names of the keys, sorted.
func (m *Mapping) keyNames() []string {
	names := make([]string, len(m.Keys))
	for i, k := range m.Keys {
		names[i] = k.Name
	}
	slices.Sort(names)
	return names
}

// decodeMapping decodes a mapping by the rows of m, then applies the rules and finish.
func (d *decoder) decodeMapping(n *yaml.Node, path string, m Mapping) {
	if m.pos != nil {
		*m.pos = d.src.positionOf(n)
	}
	isMapping := d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		row := m.key(key.Value)
		switch {
		case row == nil && m.renamed[key.Value] != "":
			d.fail(key, path, "unknown key", "it is called "+m.renamed[key.Value])
		case row == nil:
			d.fail(key, path, "unknown key", suggestName(key.Value, m.keyNames()))
		case yamltext.IsNull(value):
			d.fail(value, path, "has no value", "write one, or leave the key out")
		default:
			row.value.decode(d, value, path)
		}
	})
	if !isMapping {
		return
	}
	for _, k := range m.Keys {
		if k.Required {
			d.requireKey(n, path, k.Name, "")
		}
	}
	d.applyRules(n, path, m.rules)
	if m.finish != nil {
		m.finish(d, n, path)
	}
}

// requireKey adds a problem if a mapping lacks a key.
func (d *decoder) requireKey(n *yaml.Node, path, name, hint string) {
	if _, value := lookupKey(n, name); value == nil {
		d.fail(n, path, "lacks the key "+name, hint)
	}
}

// Language is a description of the spec language, made from its tables.
type Language struct {
	Documents []Mapping                     // the kinds of spec files
	Mappings  map[string]Mapping            // all mappings by name
	Schemas   map[string]*jsonschema.Schema // the JSON Schemas of mappings by name
}

// Describe returns the description of the spec language.
func Describe() *Language {
	l := &Language{Mappings: map[string]Mapping{}, Schemas: map[string]*jsonschema.Schema{}}
	for _, m := range []Mapping{
		projectMapping(&Project{}), apiMapping(&API{}, nil), controllerMapping(&Controller{}),
		typesMapping(new([]*NamedType)),
	} {
		l.referTo(m)
		l.Documents = append(l.Documents, m)
	}
	l.referTo(validationMapping(new(apiextv1.ValidationRule)))
	return l
}

// referTo returns a reference to the JSON Schema of a mapping, and adds that schema at the first
// call.
func (l *Language) referTo(m Mapping) *jsonschema.Schema {
	if _, known := l.Mappings[m.Name]; !known {
		l.Mappings[m.Name] = m
		l.Schemas[m.Name] = m.Schema(l)
	}
	return jsonschema.Ref(m.Name)
}

// Schema returns the JSON Schema of a mapping. It refers to the schemas of the mappings below.
func (m Mapping) Schema(l *Language) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: false,
	}
	for _, k := range m.Keys {
		value := k.value.schema(l)
		if k.value.preset != "" {
			value.Default = presetValue(value, k.value.preset)
		}
		s.Properties[k.Name] = value.Described(k.Means())
		if k.Required {
			s.Required = append(s.Required, k.Name)
		}
	}
	for _, r := range m.rules {
		s.AllOf = append(s.AllOf, r.asSchemas()...)
	}
	if m.refine != nil {
		m.refine(s)
	}
	return s
}

// presetValue returns a default as a JSON value.
func presetValue(s *jsonschema.Schema, preset string) any {
	switch s.Type {
	case "boolean":
		return preset == "true"
	case "integer":
		number, _ := strconv.Atoi(preset)
		return number
	}
	return preset
}
