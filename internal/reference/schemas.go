package reference

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/spec"
)

// position is where a schema is used.
type position string

const (
	anywhere    position = ""
	ofField     position = "a field of an object"
	ofNamedType position = "a named type"
)

// keywordSchema returns the schema of the value of a keyword. fields and below are the definitions
// of fields, and of items and values.
func keywordSchema(language *spec.Language, k spec.Keyword, fields, below string) *jsonschema.Schema {
	switch k.Name {
	case "type":
		return typeSchema()
	case "properties":
		return propertiesSchema(fields)
	case "items":
		return jsonschema.Ref(below)
	case "additionalProperties":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{jsonschema.Ref(below), jsonschema.Boolean()}}
	case "goName":
		return jsonschema.Matching(`^[A-Z][A-Za-z0-9_]*$`, "an exported Go name")
	case "goConstants":
		return jsonschema.MapOf(goNameSchema("TLSVersion12"))
	}
	return k.Schema(language)
}

// goNameSchema returns the schema of the name of a Go type or constant.
func goNameSchema(example string) *jsonschema.Schema {
	return jsonschema.Matching(`^[A-Z][A-Za-z0-9]{0,62}$`,
		"letters and digits, starting with a capital, at most 63 characters, such as "+example, example)
}

// propertiesSchema returns the schema of fields by name. It excludes the ASCII characters that
// encoding/json does not accept in a struct tag.
func propertiesSchema(fields string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: jsonschema.Ref(fields), PropertyNames: &jsonschema.Schema{
		Pattern: "^[^\\x00-\\x1f\\x7f\"'`,\\\\]+$", Not: &jsonschema.Schema{Const: "-"},
	}}
}

func typeSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		jsonschema.Words(append([]string{""}, spec.OpenAPITypes()...)...), namedTypeSchema(),
	}}
}

// namedTypeSchema returns the schema of the types that the keyword type can name in addition to
// those of OpenAPI. A schema with such a type has no fields, items or values.
func namedTypeSchema() *jsonschema.Schema {
	forms := typeForms()
	collections := forms[len(forms)-2].pattern + "|" + forms[len(forms)-1].pattern
	return jsonschema.Matching(`^(`+strings.Join(kubernetesWords(), "|")+`|`+namedType+`|`+collections+`)$`,
		"a type of OpenAPI, of Kubernetes with its package, of Go with its import path, a name under types, or a list or map of such", "core/v1.PodSpec", "[]core/v1.EnvVar")
}

// schemaOrShorthand returns the schema of a mapping of keywords or a string in the shorthand.
func schemaOrShorthand(at position) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: []string{"string", "object"}, AdditionalProperties: false, Properties: map[string]*jsonschema.Schema{},
		Pattern: shorthandPattern(at), PatternReason: shorthandReason,
		Description: "a schema: a text in the shorthand, or OpenAPI v3 as CRDs allow it",
		If:          jsonschema.WithKey("type", namedTypeSchema()),
		Then:        &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}},
	}
	for _, k := range spec.Keywords() {
		if k.Name != "goName" {
			s.Properties[k.Name] = jsonschema.Ref(k.Name)
		}
		if k.HoldsSchemas() {
			s.Then.Properties[k.Name] = jsonschema.Nothing()
		}
	}
	return s
}

// fieldSchema returns the schema of a field of an object.
func fieldSchema() *jsonschema.Schema {
	s := schemaOrShorthand(ofField)
	s.Properties["goName"] = jsonschema.Ref("goName")
	s.Examples = []any{"string | required", "int32 | default=1 minimum=1", "[]string", "map[string]string", "core/v1.ResourceRequirements"}
	return s
}

// namedTypes returns the schema of the schemas under types.
func namedTypes() *jsonschema.Schema {
	s := schemaOrShorthand(ofNamedType)
	s.Properties["goName"] = goNameSchema("TLS")
	return &jsonschema.Schema{Type: "object", AdditionalProperties: s, PropertyNames: goNameSchema("TLS")}
}

// validationSchema returns the schema of a schema below allOf, anyOf, oneOf and not. There is no
// shorthand for it, because it only validates.
func validationSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", AdditionalProperties: false, Properties: map[string]*jsonschema.Schema{},
		Description: "a schema that only validates: no shorthand, and nothing is implied",
	}
	for _, k := range spec.Keywords() {
		switch {
		case k.HoldsSchemas():
			s.Properties[k.Name] = keywordSchema(nil, k, "validation", "validation").Described(k.Doc)
		case !k.IsOwn():
			s.Properties[k.Name] = jsonschema.Ref(k.Name)
		}
	}
	return s
}
