package spec

import (
	"math"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// MarkerForm is how the shorthand writes the value of a marker.
type MarkerForm int

// The forms of markers.
const (
	NoMarker     MarkerForm = iota
	FlagMarker              // nothing, true or false
	CountMarker             // a count
	NumberMarker            // a number
	TextMarker              // a text
	EnumMarker              // a list of values
	ValueMarker             // a value of the schema's type
	WordMarker              // one of a few words
	NameMarker              // a Go name
)

// keywordField is how the value of a keyword is decoded, stored and described.
type keywordField struct {
	decode func(d *decoder, into *props, n *yaml.Node, path string) // nil: not kept in props
	schema func(l *Language) *jsonschema.Schema
	value  func(*props) any // zero if the keyword is not set; nil: nobody asks for it
	form   MarkerForm
	words  []string
	// holds is true for a keyword with the schemas of fields, items or values; own for one that
	// only the spec language has.
	holds, own bool
}

func plainSchema(make func() *jsonschema.Schema) func(*Language) *jsonschema.Schema {
	return func(*Language) *jsonschema.Schema { return make() }
}

// textField stores a text without spaces.
func textField(field func(*props) *string) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) { anyText(field(into)).decode(d, n, path) },
		schema: plainSchema(jsonschema.Text),
		value:  func(k *props) any { return *field(k) },
		form:   TextMarker,
	}
}

// proseField stores a text of any characters.
func proseField(field func(*props) *string) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) { proseText(field(into)).decode(d, n, path) },
		schema: plainSchema(jsonschema.Text),
		value:  func(k *props) any { return *field(k) },
		form:   TextMarker,
	}
}

func flagField(field func(*props) *bool) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) { d.decodeBool(field(into), n, path) },
		schema: func(*Language) *jsonschema.Schema {
			s := jsonschema.Boolean()
			s.Default = false
			return s
		},
		value: func(k *props) any { return *field(k) },
		form:  FlagMarker,
	}
}

// optionalFlagField stores a boolean whose false is not the same as its absence.
func optionalFlagField(field func(*props) **bool) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			*field(into) = new(bool)
			d.decodeBool(*field(into), n, path)
		},
		schema: plainSchema(jsonschema.Boolean),
		form:   FlagMarker,
	}
}

// countField stores a number of characters, items or fields.
func countField(field func(*props) **int64) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			*field(into) = new(int64)
			d.decodeInteger(*field(into), 0, math.MaxInt64, n, path)
		},
		schema: func(*Language) *jsonschema.Schema {
			return &jsonschema.Schema{Type: "integer", Minimum: new(int64)}
		},
		value: func(k *props) any { return *field(k) },
		form:  CountMarker,
	}
}

func numberField(field func(*props) **float64) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			*field(into) = new(float64)
			d.decodeFloat(*field(into), n, path)
		},
		schema: plainSchema(jsonschema.Number),
		value:  func(k *props) any { return *field(k) },
		form:   NumberMarker,
	}
}

// wordField stores a text that is one of the accepted words.
func wordField(field func(*props) **string, accepted ...string) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			*field(into) = new(string)
			if word, ok := d.decodeWord(n, path, accepted); ok {
				**field(into) = word
			}
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Words(accepted...) },
		value:  func(k *props) any { return *field(k) },
		form:   WordMarker,
		words:  accepted,
	}
}

// jsonField stores any value as JSON.
func jsonField(field func(*props) **apiextv1.JSON) keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			if json, ok := d.decodeJSON(n, path); ok {
				*field(into) = &json
			}
		},
		schema: plainSchema(func() *jsonschema.Schema { return &jsonschema.Schema{} }),
		form:   ValueMarker,
	}
}

func enumField() keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			if n.Kind != yaml.SequenceNode {
				d.fail(n, path, "expected a list, got "+describeNode(n), "such as [Plain, Json]")
				return
			}
			into.Enum = []apiextv1.JSON{}
			for i, item := range n.Content {
				if json, ok := d.decodeJSON(item, indexPath(path, i)); ok {
					into.Enum = append(into.Enum, json)
				}
			}
		},
		schema: plainSchema(func() *jsonschema.Schema { return &jsonschema.Schema{Type: "array"} }),
		value:  func(k *props) any { return k.Enum },
		form:   EnumMarker,
	}
}

// requiredField stores the names of required fields. As a marker, required belongs to a field, and
// not to the object that has this keyword.
func requiredField() keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
				d.fail(n, path, "expected a list of names, got "+describeNode(n),
					"OpenAPI lists the required fields at the object that has them: required: [name]; the shorthand has a marker: string | required")
				return
			}
			into.Required = []string{}
			d.decodeTexts(&into.Required, n, path)
		},
		schema: plainSchema(func() *jsonschema.Schema { return jsonschema.List(jsonschema.Text()) }),
		value:  func(k *props) any { return k.Required },
		form:   FlagMarker,
	}
}

func listMapKeysField() keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			into.XListMapKeys = []string{}
			d.decodeTexts(&into.XListMapKeys, n, path)
		},
		schema: plainSchema(func() *jsonschema.Schema { return jsonschema.List(jsonschema.Text()) }),
		value:  func(k *props) any { return k.XListMapKeys },
		form:   TextMarker,
	}
}

func externalDocsField() keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			nestedMapping(&into.ExternalDocs, externalDocsMapping).decode(d, n, path)
		},
		schema: func(l *Language) *jsonschema.Schema {
			return externalDocsMapping(&apiextv1.ExternalDocumentation{}).Schema(l)
		},
	}
}

// externalDocsMapping returns the keys under externalDocs.
func externalDocsMapping(docs *apiextv1.ExternalDocumentation) Mapping {
	return Mapping{Name: "externalDocs", Keys: []Key{
		{Name: "url", value: anyText(&docs.URL), Doc: "the address"},
		{Name: "description", value: proseText(&docs.Description), Doc: "what is written there"},
	}}
}

func validationsField() keywordField {
	return keywordField{
		decode: func(d *decoder, into *props, n *yaml.Node, path string) {
			into.XValidations = apiextv1.ValidationRules{}
			d.eachItem(n, path, func(n *yaml.Node, path string) {
				var rule apiextv1.ValidationRule
				d.decodeMapping(n, path, validationMapping(&rule))
				into.XValidations = append(into.XValidations, rule)
			})
		},
		schema: func(l *Language) *jsonschema.Schema {
			return jsonschema.List(validationMapping(&apiextv1.ValidationRule{}).Schema(l))
		},
	}
}

// validationMapping returns the keys of a CEL rule.
func validationMapping(r *apiextv1.ValidationRule) Mapping {
	reason := func(into *apiextv1.FieldValueErrorReason) value {
		return oneWord(into, apiextv1.FieldValueRequired, apiextv1.FieldValueDuplicate, apiextv1.FieldValueInvalid, apiextv1.FieldValueForbidden)
	}
	return Mapping{Name: "rule", Keys: []Key{
		{Name: "rule", Required: true, value: celText(&r.Rule), Doc: "expression over `self`, the value, and `oldSelf`, the one before, which is true of a valid value"},
		{Name: "message", value: proseText(&r.Message), Doc: "what users read when it is not"},
		{Name: "messageExpression", value: proseText(&r.MessageExpression), Doc: "expression that gives the message"},
		{Name: "reason", value: withPreset(optionalValue(&r.Reason, reason), string(apiextv1.FieldValueInvalid)), Doc: "what the API server answers as the reason"},
		{Name: "fieldPath", value: textCheckedLater(&r.FieldPath, &rulePathForm), Doc: "path of the field that the message is about, relative to the schema"},
		{Name: "optionalOldSelf", value: optionalValue(&r.OptionalOldSelf, trueOrFalse), Doc: "the rule is evaluated on creation too, with `oldSelf` as an optional"},
	}}
}

func celText(into *string) value {
	v := proseText(into)
	v.schema = func(*Language) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Examples: []any{"self.minReplicas <= self.maxReplicas"}}
	}
	return v
}

// withPreset returns a value with a default. The API server sets it, so the parser leaves it out.
func withPreset(v value, preset string) value {
	v.preset = preset
	return v
}

// validationListField describes a list of schemas that only validate, such as anyOf.
func validationListField(value func(*props) any) keywordField {
	return keywordField{value: value, schema: plainSchema(func() *jsonschema.Schema { return jsonschema.List(jsonschema.Ref("validation")) })}
}

// treeField describes a schema that only validates, such as not.
func treeField(value func(*props) any) keywordField {
	return keywordField{value: value, schema: plainSchema(func() *jsonschema.Schema { return jsonschema.Ref("validation") })}
}

func holderField() keywordField { return keywordField{holds: true} }

func ownField(form MarkerForm) keywordField { return keywordField{form: form, own: true} }
