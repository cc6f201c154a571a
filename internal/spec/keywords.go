package spec

import (
	"maps"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// props is what a schema says of itself.
type props = apiextv1.JSONSchemaProps

// keyword decodes the value of one keyword into a schema.
type keyword func(d *decoder, into *props, n *yaml.Node, path string)

// keywords are the keywords of OpenAPI v3 that CRDs allow, but for those that hold other schemas.
var keywords = map[string]keyword{
	"type":             textKeyword(func(k *props) *string { return &k.Type }),
	"format":           textKeyword(func(k *props) *string { return &k.Format }),
	"title":            proseKeyword(func(k *props) *string { return &k.Title }),
	"description":      proseKeyword(func(k *props) *string { return &k.Description }),
	"pattern":          proseKeyword(func(k *props) *string { return &k.Pattern }),
	"default":          valueKeyword(func(k *props) **apiextv1.JSON { return &k.Default }),
	"example":          valueKeyword(func(k *props) **apiextv1.JSON { return &k.Example }),
	"minimum":          numberKeyword(func(k *props) **float64 { return &k.Minimum }),
	"maximum":          numberKeyword(func(k *props) **float64 { return &k.Maximum }),
	"multipleOf":       numberKeyword(func(k *props) **float64 { return &k.MultipleOf }),
	"exclusiveMinimum": flagKeyword(func(k *props) *bool { return &k.ExclusiveMinimum }),
	"exclusiveMaximum": flagKeyword(func(k *props) *bool { return &k.ExclusiveMaximum }),
	"minLength":        countKeyword(func(k *props) **int64 { return &k.MinLength }),
	"maxLength":        countKeyword(func(k *props) **int64 { return &k.MaxLength }),
	"minItems":         countKeyword(func(k *props) **int64 { return &k.MinItems }),
	"maxItems":         countKeyword(func(k *props) **int64 { return &k.MaxItems }),
	"minProperties":    countKeyword(func(k *props) **int64 { return &k.MinProperties }),
	"maxProperties":    countKeyword(func(k *props) **int64 { return &k.MaxProperties }),
	"uniqueItems":      flagKeyword(func(k *props) *bool { return &k.UniqueItems }),
	"nullable":         flagKeyword(func(k *props) *bool { return &k.Nullable }),
	"enum":             enumKeyword,
	"required":         requiredKeyword,
	"externalDocs":     externalDocsKeyword,

	"x-kubernetes-preserve-unknown-fields": preserveKeyword,
	"x-kubernetes-embedded-resource":       flagKeyword(func(k *props) *bool { return &k.XEmbeddedResource }),
	"x-kubernetes-int-or-string":           flagKeyword(func(k *props) *bool { return &k.XIntOrString }),
	"x-kubernetes-list-type":               wordKeyword(func(k *props) **string { return &k.XListType }, "atomic", "set", "map"),
	"x-kubernetes-map-type":                wordKeyword(func(k *props) **string { return &k.XMapType }, "atomic", "granular"),
	"x-kubernetes-list-map-keys":           listMapKeysKeyword,
	"x-kubernetes-validations":             validationsKeyword,
}

// structural are the keywords that hold other schemas.
var structural = []string{"properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not"}

// forbidden are the keywords of JSON schema that no CRD may have, with what to write instead.
var forbidden = map[string]string{
	"$ref":              "write the schema out, or name a Kubernetes type: type: core/v1.ResourceRequirements",
	"$schema":           "leave it out",
	"id":                "leave it out; a field of that name goes under properties",
	"definitions":       "write the schemas out where they are used",
	"dependencies":      "write a rule under x-kubernetes-validations",
	"patternProperties": "use additionalProperties",
	"additionalItems":   "all items of a list have the schema under items",
}

// schemaKeys are all names that a schema may have as keys.
var schemaKeys = slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(keywords)), append(structural, "goName", "goConstants")...)))

func proseKeyword(field func(*props) *string) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) { d.prose(field(into))(n, path) }
}

func textKeyword(field func(*props) *string) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) { d.text(field(into))(n, path) }
}

func flagKeyword(field func(*props) *bool) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) { d.flag(field(into))(n, path) }
}

func countKeyword(field func(*props) **int64) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) {
		value := new(int64)
		d.count(value, 0, math.MaxInt64)(n, path)
		*field(into) = value
	}
}

func numberKeyword(field func(*props) **float64) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) {
		value := new(float64)
		d.float(value)(n, path)
		*field(into) = value
	}
}

func valueKeyword(field func(*props) **apiextv1.JSON) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) {
		if value, ok := d.value(n, path); ok {
			*field(into) = &value
		}
	}
}

func wordKeyword(field func(*props) **string, accepted ...string) keyword {
	return func(d *decoder, into *props, n *yaml.Node, path string) {
		value := new(string)
		word(d, value, accepted...)(n, path)
		*field(into) = value
	}
}

func preserveKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	into.XPreserveUnknownFields = new(bool)
	d.flag(into.XPreserveUnknownFields)(n, path)
}

func listMapKeysKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	into.XListMapKeys = []string{}
	d.texts(&into.XListMapKeys)(n, path)
}

func requiredKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		d.fail(n, path, "expected a list of names, got "+describe(n),
			"OpenAPI lists the required fields at the object that has them: required: [name]; the shorthand has a marker: string | required")
		return
	}
	into.Required = []string{}
	d.texts(&into.Required)(n, path)
}

func enumKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, path, "expected a list, got "+describe(n), "such as [Plain, Json]")
		return
	}
	into.Enum = []apiextv1.JSON{}
	for i, item := range n.Content {
		if value, ok := d.value(item, at(path, i)); ok {
			into.Enum = append(into.Enum, value)
		}
	}
}

func externalDocsKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	into.ExternalDocs = &apiextv1.ExternalDocumentation{}
	d.mapping(n, path, keys{
		"description": d.prose(&into.ExternalDocs.Description),
		"url":         d.text(&into.ExternalDocs.URL),
	})
}

func validationsKeyword(d *decoder, into *props, n *yaml.Node, path string) {
	into.XValidations = apiextv1.ValidationRules{}
	d.list(func(n *yaml.Node, path string) {
		var rule apiextv1.ValidationRule
		d.mapping(n, path, keys{
			"rule":              d.prose(&rule.Rule),
			"message":           d.prose(&rule.Message),
			"messageExpression": d.prose(&rule.MessageExpression),
			"fieldPath":         d.text(&rule.FieldPath),
			"optionalOldSelf": func(n *yaml.Node, path string) {
				rule.OptionalOldSelf = new(bool)
				d.flag(rule.OptionalOldSelf)(n, path)
			},
			"reason": func(n *yaml.Node, path string) {
				rule.Reason = new(apiextv1.FieldValueErrorReason)
				word(d, rule.Reason, apiextv1.FieldValueRequired, apiextv1.FieldValueDuplicate,
					apiextv1.FieldValueInvalid, apiextv1.FieldValueForbidden)(n, path)
			},
		})
		if n.Kind == yaml.MappingNode {
			d.need(n, path, "rule")
		}
		into.XValidations = append(into.XValidations, rule)
	})(n, path)
}
