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

// Mapping is a mapping with certain keys and no others.
type Mapping struct {
	Name string // such as child
	Keys []Key
	// renamed has keys of earlier versions of the language with their names of today.
	renamed map[string]string
	rules   []rule
	// pos receives the position of the mapping; it may be nil.
	pos *Pos
	// finish fills in what the mapping leaves out, and checks what no row says; it may be nil.
	finish func(d *decoder, n *yaml.Node, path string)
	// refine adds to the JSON Schema what no row says; it may be nil.
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

// value is what a key may have as its value. The tables are made for a target that decode fills.
type value struct {
	decode  func(d *decoder, n *yaml.Node, path string)
	schema  func(l *Language) *jsonschema.Schema
	preset  string   // the default, as it is written; empty: none
	accepts []string // the only texts; nil: others, too
}

// Default returns the value that an absent key stands for, as it is written; empty for none.
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

// key returns the row of a key, nil if the mapping has no such key.
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

// decodeMapping decodes a mapping by its rows.
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

// requireKey reports a key that a mapping lacks.
func (d *decoder) requireKey(n *yaml.Node, path, name, hint string) {
	if _, value := lookupKey(n, name); value == nil {
		d.fail(n, path, "lacks the key "+name, hint)
	}
}

// Language is the spec language as its tables describe it.
type Language struct {
	Documents []Mapping                     // the kinds of spec files
	Mappings  map[string]Mapping            // all mappings by name
	Schemas   map[string]*jsonschema.Schema // the JSON Schemas of mappings by name
}

// Describe walks the tables.
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

// referTo returns a reference to the JSON Schema of a mapping, and makes that schema once.
func (l *Language) referTo(m Mapping) *jsonschema.Schema {
	if _, known := l.Mappings[m.Name]; !known {
		l.Mappings[m.Name] = m
		l.Schemas[m.Name] = m.Schema(l)
	}
	return jsonschema.Ref(m.Name)
}

// Schema returns the JSON Schema of a mapping, which refers to those of the mappings in it.
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

// presetValue returns a default as JSON has it.
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
