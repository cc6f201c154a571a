// Package jsonschema has Go values for the part of JSON Schema draft-07 that describes spec files.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Draft is the version of JSON Schema that editors support best. The YAML language server has
// always validated draft-07, and knows later drafts only in part.
const Draft = "http://json-schema.org/draft-07/schema#"

// Schema is a JSON Schema.
type Schema struct {
	Schema      string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Ref         string `json:"$ref,omitempty"`
	Type        any    `json:"type,omitempty"` // a name, or a list of names
	Const       any    `json:"const,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	Pattern     string `json:"pattern,omitempty"`
	// PatternReason is what editors show instead of the pattern.
	PatternReason string `json:"patternErrorMessage,omitempty"`
	MinLength     int    `json:"minLength,omitempty"`
	MaxLength     int    `json:"maxLength,omitempty"`
	Minimum       *int64 `json:"minimum,omitempty"`
	Maximum       *int64 `json:"maximum,omitempty"`

	Required      []string           `json:"required,omitempty"`
	Properties    map[string]*Schema `json:"properties,omitempty"`
	PropertyNames *Schema            `json:"propertyNames,omitempty"`
	MinProperties int                `json:"minProperties,omitempty"`
	// AdditionalProperties is false or a *Schema.
	AdditionalProperties any     `json:"additionalProperties,omitempty"`
	Items                *Schema `json:"items,omitempty"`
	MinItems             int     `json:"minItems,omitempty"`
	UniqueItems          bool    `json:"uniqueItems,omitempty"`
	Contains             *Schema `json:"contains,omitempty"`

	AllOf []*Schema `json:"allOf,omitempty"`
	AnyOf []*Schema `json:"anyOf,omitempty"`
	Not   *Schema   `json:"not,omitempty"`
	If    *Schema   `json:"if,omitempty"`
	Then  *Schema   `json:"then,omitempty"`
	Else  *Schema   `json:"else,omitempty"`

	Default     any                `json:"default,omitempty"`
	Examples    []any              `json:"examples,omitempty"`
	Definitions map[string]*Schema `json:"definitions,omitempty"`
}

// Marshal returns the schema as indented JSON.
func (s *Schema) Marshal() ([]byte, error) {
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	encode.SetIndent("", "  ")
	err := encode.Encode(s)
	return b.Bytes(), err
}

// Described returns the schema with a description, which is Markdown turned into plain text, as
// editors show it. Draft-07 ignores what is next to $ref, so it wraps a reference in allOf.
func (s *Schema) Described(markdown string) *Schema {
	text := strings.ReplaceAll(markdown, "`", "")
	if s.Ref != "" {
		return &Schema{Description: text, AllOf: []*Schema{s}}
	}
	described := *s
	described.Description = text
	return &described
}

// Ref returns a reference to a definition.
func Ref(name string) *Schema { return &Schema{Ref: "#/definitions/" + name} }

// Boolean returns a schema of true and false.
func Boolean() *Schema { return &Schema{Type: "boolean"} }

// Text returns a schema of any text.
func Text() *Schema { return &Schema{Type: "string"} }

// Number returns a schema of any number.
func Number() *Schema { return &Schema{Type: "number"} }

// Integer returns a schema of the integers from least to most, both included.
func Integer(least, most int64) *Schema {
	return &Schema{Type: "integer", Minimum: &least, Maximum: &most}
}

// Words returns a schema of a fixed set of strings.
func Words[T ~string](accepted ...T) *Schema {
	s := Text()
	for _, word := range accepted {
		s.Enum = append(s.Enum, string(word))
	}
	return s
}

// Matching returns a schema of strings that match a pattern. Editors show expected in their errors.
func Matching(pattern, expected string, examples ...any) *Schema {
	return &Schema{
		Type: "string", Pattern: pattern, PatternReason: "expected " + expected, Examples: examples,
	}
}

// List returns a schema of lists.
func List(items *Schema) *Schema { return &Schema{Type: "array", Items: items} }

// MapOf returns a schema of objects with any keys.
func MapOf(values *Schema) *Schema { return &Schema{Type: "object", AdditionalProperties: values} }

// Nothing returns a schema that no value satisfies.
func Nothing() *Schema { return &Schema{Not: &Schema{}} }

// WithKey returns a schema of objects that have a key whose value has the given schema.
func WithKey(key string, value *Schema) *Schema {
	return &Schema{Required: []string{key}, Properties: map[string]*Schema{key: value}}
}

// WithoutKeys returns a schema of objects that have none of the keys.
func WithoutKeys(keys ...string) *Schema {
	s := &Schema{Properties: map[string]*Schema{}}
	for _, key := range keys {
		s.Properties[key] = Nothing()
	}
	return s
}

// Either returns a schema of a string or a value of another type. Each alternative is checked only
// for values of its type, so that editors report the errors of the one that the user has written.
func Either(text *Schema, otherType string, other *Schema) *Schema {
	return &Schema{Type: []string{"string", otherType}, AllOf: []*Schema{
		{If: &Schema{Type: "string"}, Then: text}, {If: &Schema{Type: otherType}, Then: other},
	}}
}
