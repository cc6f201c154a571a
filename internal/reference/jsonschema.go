package reference

import (
	"bytes"
	"encoding/json"
	"strings"
)

// draft is the version of JSON Schema that editors handle best: the YAML language server and the editors built on
// it have always validated draft-07, and know later drafts in part.
const draft = "http://json-schema.org/draft-07/schema#"

// schema is a JSON Schema of draft-07, as far as spec files need it.
type schema struct {
	Schema        string `json:"$schema,omitempty"`
	Title         string `json:"title,omitempty"`
	Description   string `json:"description,omitempty"`
	Ref           string `json:"$ref,omitempty"`
	Type          any    `json:"type,omitempty"` // a name, or a list of names
	Const         any    `json:"const,omitempty"`
	Enum          []any  `json:"enum,omitempty"`
	Pattern       string `json:"pattern,omitempty"`
	PatternReason string `json:"patternErrorMessage,omitempty"` // what editors show in the place of the pattern
	MinLength     int    `json:"minLength,omitempty"`
	MaxLength     int    `json:"maxLength,omitempty"`
	Minimum       *int   `json:"minimum,omitempty"`
	Maximum       *int   `json:"maximum,omitempty"`

	Required             []string           `json:"required,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	PropertyNames        *schema            `json:"propertyNames,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // false, or a *schema
	Items                *schema            `json:"items,omitempty"`
	MinItems             int                `json:"minItems,omitempty"`
	UniqueItems          bool               `json:"uniqueItems,omitempty"`
	Contains             *schema            `json:"contains,omitempty"`

	AllOf []*schema `json:"allOf,omitempty"`
	AnyOf []*schema `json:"anyOf,omitempty"`
	Not   *schema   `json:"not,omitempty"`
	If    *schema   `json:"if,omitempty"`
	Then  *schema   `json:"then,omitempty"`
	Else  *schema   `json:"else,omitempty"`

	Default     any                `json:"default,omitempty"`
	Examples    []any              `json:"examples,omitempty"`
	Definitions map[string]*schema `json:"definitions,omitempty"`
}

func (s *schema) marshal() ([]byte, error) {
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	encode.SetIndent("", "  ")
	err := encode.Encode(s)
	return b.Bytes(), err
}

// ref refers to a definition.
func ref(name string) *schema { return &schema{Ref: "#/definitions/" + name} }

// boolean is true or false.
func boolean() *schema { return &schema{Type: "boolean"} }

// toggle is true or false, and one of them by default.
func toggle(byDefault bool) *schema { return &schema{Type: "boolean", Default: byDefault} }

func text() *schema { return &schema{Type: "string"} }

func number() *schema { return &schema{Type: "number"} }

// count is a number of characters, items or fields.
func count() *schema { return &schema{Type: "integer", Minimum: new(0)} }

// word is one of a few texts.
func word[T ~string](accepted ...T) *schema {
	s := text()
	for _, a := range accepted {
		s.Enum = append(s.Enum, string(a))
	}
	return s
}

// matching is text of a certain form, which editors show in the place of the pattern.
func matching(pattern, form string, examples ...any) *schema {
	return &schema{Type: "string", Pattern: pattern, PatternReason: "expected " + form, Examples: examples}
}

func list(items *schema) *schema { return &schema{Type: "array", Items: items} }

// never accepts nothing.
func never() *schema { return &schema{Not: &schema{}} }

// when is a condition on a key of an object, which must be there.
func when(key string, value *schema) *schema {
	return &schema{Required: []string{key}, Properties: map[string]*schema{key: value}}
}

func (s *schema) withDefault(value any) *schema {
	s.Default = value
	return s
}

// described gives a schema a description from Markdown. Editors show it as plain text. Beside $ref draft-07 takes
// none, so that a reference is wrapped.
func (s *schema) described(markdown string) *schema {
	text := strings.ReplaceAll(markdown, "`", "")
	if s.Ref != "" {
		return &schema{Description: text, AllOf: []*schema{s}}
	}
	copied := *s
	copied.Description = text
	return &copied
}
