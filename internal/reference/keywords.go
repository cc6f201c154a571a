package reference

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// keywords are what a schema that is written as a mapping may have, but for goName and for the keywords that hold
// other schemas.
func keywords() []key {
	return []key{
		{name: "type", means: "`string`, `integer`, `number`, `boolean`, `object` or `array`; or a Kubernetes type, such as `core/v1.PodSpec`, `time`, `duration`, `quantity` or `intOrString`, a Go type by its import path, or a name under `types`: the other keywords are laid over its schema; or a list or map of such, as in the shorthand: `[]core/v1.EnvVar`", value: typeKeyword()},
		{name: "format", means: "what the text or the number is, such as `date-time`, `uri` or `int32`", value: text()},
		{name: "title", means: "a heading", value: text()},
		{name: "description", means: "what it is for, in the place of the comment above the field", value: text()},
		{name: "default", means: "the value where users leave it out", value: &schema{}},
		{name: "example", means: "a value to show", value: &schema{}},
		{name: "enum", means: "list of the only values", value: &schema{Type: "array"}},
		{name: "required", means: "list of the fields that must be there", value: list(text())},
		{name: "nullable", means: "null is a value; where the field is optional, too, the `Nulls` of its Go type tells null from absent", value: toggle(false)},
		{name: "minimum", means: "the smallest number", value: number()},
		{name: "maximum", means: "the largest number", value: number()},
		{name: "exclusiveMinimum", means: "`minimum` itself is too small", value: toggle(false)},
		{name: "exclusiveMaximum", means: "`maximum` itself is too large", value: toggle(false)},
		{name: "multipleOf", means: "the number is a multiple of this", value: number()},
		{name: "minLength", means: "the fewest characters of a text", value: count()},
		{name: "maxLength", means: "the most characters of a text", value: count()},
		{name: "pattern", means: "regular expression that a text matches somewhere", value: text()},
		{name: "minItems", means: "the fewest items of a list", value: count()},
		{name: "maxItems", means: "the most items of a list", value: count()},
		{name: "uniqueItems", means: "CRDs allow only `false`; a list without repetition is `x-kubernetes-list-type: set`", value: toggle(false)},
		{name: "minProperties", means: "the fewest fields of an object or keys of a map", value: count()},
		{name: "maxProperties", means: "the most fields of an object or keys of a map", value: count()},
		{name: "allOf", means: "list of schemas, all of which hold", value: list(ref("validation"))},
		{name: "anyOf", means: "list of schemas, at least one of which holds", value: list(ref("validation"))},
		{name: "oneOf", means: "list of schemas, exactly one of which holds", value: list(ref("validation"))},
		{name: "not", means: "a schema that does not hold", value: ref("validation")},
		{name: "externalDocs", means: "where more is written: `url`, `description`", value: object([]key{
			{name: "url", means: "the address", value: text()},
			{name: "description", means: "what is written there", value: text()},
		})},
		{name: "x-kubernetes-preserve-unknown-fields", means: "fields that the schema does not name are kept", value: boolean()},
		{name: "x-kubernetes-embedded-resource", means: "the object is a Kubernetes object, with apiVersion, kind and metadata", value: toggle(false)},
		{name: "x-kubernetes-int-or-string", means: "an integer or a text, such as a port", value: toggle(false)},
		{name: "x-kubernetes-list-type", means: "how server-side apply merges the list: `atomic`, `set` or `map`", value: word("atomic", "set", "map")},
		{name: "x-kubernetes-list-map-keys", means: "list of the fields that identify an item of a list of type `map`", value: list(text())},
		{name: "x-kubernetes-map-type", means: "how server-side apply merges the object: `atomic` or `granular`", value: word("atomic", "granular")},
		{name: "x-kubernetes-validations", means: "list of rules in CEL: `rule`, `message`, `messageExpression`, `reason`, `fieldPath`, `optionalOldSelf`", value: list(object(ruleKeys()))},
	}
}

// ruleKeys are the keys of a rule in CEL.
func ruleKeys() []key {
	return []key{
		{name: "rule", required: true, means: "expression over `self`, the value, and `oldSelf`, the one before, which is true of a valid value",
			value: &schema{Type: "string", Examples: []any{"self.minReplicas <= self.maxReplicas"}}},
		{name: "message", means: "what users read when it is not", value: text()},
		{name: "messageExpression", means: "expression that gives the message", value: text()},
		{name: "reason", means: "what the API server answers as the reason", value: word(apiextv1.FieldValueRequired,
			apiextv1.FieldValueDuplicate, apiextv1.FieldValueInvalid, apiextv1.FieldValueForbidden).withDefault(apiextv1.FieldValueInvalid)},
		{name: "fieldPath", means: "path of the field that the message is about, relative to the schema", value: matching(`^(\.|\[)`, "a path that starts with a dot", ".minReplicas")},
		{name: "optionalOldSelf", means: "the rule is evaluated on creation too, with `oldSelf` as an optional", value: boolean()},
	}
}

// holders are the keywords that hold other schemas: fields in the schema of a field, and items and values.
func holders(fields, below *schema) []key {
	properties := &schema{Type: "object", AdditionalProperties: fields, PropertyNames: &schema{
		// The characters of a name that encoding/json takes from a struct tag.
		Pattern: "^[\\p{L}\\p{Nd}!#$%&()*+./:;<=>?@\\[\\]^_{|}~ -]+$", Not: &schema{Const: "-"},
	}}
	return []key{
		{name: "properties", means: "the fields of an object, each with its schema, in the order of the Go type", value: properties},
		{name: "items", means: "the schema of the items of a list", value: below},
		{name: "additionalProperties", means: "the schema of the values of a map, or `true` or `false`", value: &schema{AnyOf: []*schema{below, boolean()}}},
	}
}

var openAPITypes = []string{"string", "integer", "number", "boolean", "object", "array"}

func typeKeyword() *schema {
	return &schema{AnyOf: []*schema{word(append([]string{""}, openAPITypes...)...), namedTypeKeyword()}}
}

// namedTypeKeyword accepts what the keyword type may name beside the types of OpenAPI: with it the schema says nothing
// else of its fields, items and values.
func namedTypeKeyword() *schema {
	forms := typeForms()
	collections := forms[len(forms)-2].pattern + "|" + forms[len(forms)-1].pattern
	return matching(`^(`+kubernetesWords()+`|`+byName+`|`+collections+`)$`,
		"a type of OpenAPI, of Kubernetes with its package, of Go with its import path, a name under types, or a list or map of such", "core/v1.PodSpec", "[]core/v1.EnvVar")
}

// goName is the key that only a field and a named type have.
func goName() key {
	return key{name: "goName", means: "the name of the Go field, which is made from the field's otherwise, or of the Go type of a named type", value: matching(goIdentifier, "an exported Go name")}
}

// goConstants is the key that an enum has beside the keywords.
func goConstants() key {
	return key{name: "goConstants", means: "the names of the Go constants of an enum of texts, by value, where those that are made from the values will not do",
		value: &schema{Type: "object", AdditionalProperties: kindOf("TLSVersion12")}}
}

// mapping is the part that a schema and a field have in common: the keywords, or a text in the shorthand.
func mapping(shorthand string) *schema {
	s := &schema{
		Type: []string{"string", "object"}, AdditionalProperties: false, Properties: map[string]*schema{},
		Pattern: shorthand, PatternReason: shorthandReason,
		Description: "a schema: a text in the shorthand, or OpenAPI v3 as CRDs allow it",
		If:          when("type", namedTypeKeyword()),
		Then:        &schema{Properties: map[string]*schema{}},
	}
	for _, k := range append(keywords(), goConstants()) {
		s.Properties[k.name] = ref(k.name)
	}
	for _, k := range holders(ref("field"), ref("schema")) {
		s.Properties[k.name] = ref(k.name)
		s.Then.Properties[k.name] = never()
	}
	return s
}

// field is the schema of a field of an object.
func field() *schema {
	s := mapping(shorthand(ofField))
	s.Properties["goName"] = ref("goName")
	s.Examples = []any{"string | required", "int32 | default=1 minimum=1", "[]string", "map[string]string", "core/v1.ResourceRequirements"}
	return s
}

// namedTypes are the schemas under types.
func namedTypes() *schema {
	s := mapping(shorthand(ofNamedType))
	s.Properties["goName"] = kindOf("TLS")
	return &schema{
		Type: "object", AdditionalProperties: s, PropertyNames: kindOf("TLS"),
	}
}

// validation is a schema below allOf, anyOf, oneOf and not, which only validates: it has no shorthand.
func validation() *schema {
	s := object(holders(ref("validation"), ref("validation")))
	s.Description = "a schema that only validates: no shorthand, and nothing is implied"
	for _, k := range keywords() {
		s.Properties[k.name] = ref(k.name)
	}
	return s
}
