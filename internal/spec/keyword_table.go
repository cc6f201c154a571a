package spec

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The OpenAPI types to which markers apply.
var (
	numberTypes = []string{"integer", "number"}
	formatTypes = []string{"string", "integer", "number"}
	stringType  = []string{"string"}
	arrayType   = []string{"array"}
	objectType  = []string{"object"}
)

// keywordTable has every keyword of schemas. decodeOpenAPI and decodeTree decode the keywords
// without a field.
var keywordTable = []Keyword{
	{Name: "type", field: textField(func(k *props) *string { return &k.Type }),
		Doc: "`string`, `integer`, `number`, `boolean`, `object` or `array`; or a Kubernetes type, such as `core/v1.PodSpec`, `time`, `duration`, `quantity` or `intOrString`, a Go type by its import path, or a name under `types`: the other keywords are laid over its schema; or a list or map of such, as in the shorthand: `[]core/v1.EnvVar`"},
	{Name: "format", Class: Restriction, Marker: "format", Types: formatTypes, field: textField(func(k *props) *string { return &k.Format }),
		Doc: "what the text or the number is, such as `date-time`, `uri` or `int32`"},
	{Name: "title", Marker: "title", field: proseField(func(k *props) *string { return &k.Title }), Doc: "a heading"},
	{Name: "description", Marker: "description", field: proseField(func(k *props) *string { return &k.Description }),
		Doc: "what it is for, in the place of the comment above the field"},
	{Name: "default", Marker: "default", field: jsonField(func(k *props) **apiextv1.JSON { return &k.Default }), Doc: "the value where users leave it out"},
	{Name: "example", Marker: "example", field: jsonField(func(k *props) **apiextv1.JSON { return &k.Example }), Doc: "a value to show"},
	{Name: "enum", Class: Restriction, Marker: "enum", field: enumField(), Doc: "list of the only values"},
	{Name: "required", Class: Restriction, Marker: "required", field: requiredField(), Doc: "list of the fields that must be there", MarkerDoc: "the field must be there"},
	{Name: "nullable", Marker: "nullable", field: flagField(func(k *props) *bool { return &k.Nullable }),
		Doc: "null is a value; where the field is optional, too, the `Nulls` of its Go type tells null from absent"},
	{Name: "minimum", Class: Limit, Marker: "minimum", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.Minimum }), Doc: "the smallest number"},
	{Name: "exclusiveMinimum", Class: Limit, Marker: "exclusiveMinimum", Types: numberTypes, field: flagField(func(k *props) *bool { return &k.ExclusiveMinimum }), Doc: "`minimum` itself is too small"},
	{Name: "maximum", Class: Limit, Least: "minimum", Marker: "maximum", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.Maximum }), Doc: "the largest number"},
	{Name: "exclusiveMaximum", Class: Limit, Marker: "exclusiveMaximum", Types: numberTypes, field: flagField(func(k *props) *bool { return &k.ExclusiveMaximum }), Doc: "`maximum` itself is too large"},
	{Name: "multipleOf", Class: Limit, Marker: "multipleOf", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.MultipleOf }), Doc: "the number is a multiple of this"},
	{Name: "minLength", Class: Limit, Marker: "minLength", Types: stringType, field: countField(func(k *props) **int64 { return &k.MinLength }), Doc: "the fewest characters of a text"},
	{Name: "maxLength", Class: Limit, Least: "minLength", Marker: "maxLength", Types: stringType, field: countField(func(k *props) **int64 { return &k.MaxLength }), Doc: "the most characters of a text"},
	{Name: "pattern", Class: Limit, Marker: "pattern", Types: stringType, field: proseField(func(k *props) *string { return &k.Pattern }), Doc: "regular expression that a text matches somewhere"},
	{Name: "minItems", Class: Limit, Marker: "minItems", Types: arrayType, field: countField(func(k *props) **int64 { return &k.MinItems }), Doc: "the fewest items of a list"},
	{Name: "maxItems", Class: Limit, Least: "minItems", Marker: "maxItems", Types: arrayType, field: countField(func(k *props) **int64 { return &k.MaxItems }), Doc: "the most items of a list"},
	{Name: "uniqueItems", field: flagField(func(k *props) *bool { return &k.UniqueItems }), Doc: "CRDs allow only `false`; a list without repetition is `x-kubernetes-list-type: set`"},
	{Name: "minProperties", Class: Limit, Marker: "minProperties", Types: objectType, field: countField(func(k *props) **int64 { return &k.MinProperties }), Doc: "the fewest fields of an object or keys of a map"},
	{Name: "maxProperties", Class: Limit, Least: "minProperties", Marker: "maxProperties", Types: objectType, field: countField(func(k *props) **int64 { return &k.MaxProperties }), Doc: "the most fields of an object or keys of a map"},
	{Name: "allOf", Class: Combination, field: validationListField(func(k *props) any { return k.AllOf }), Doc: "list of schemas, all of which hold"},
	{Name: "anyOf", Class: Combination, field: validationListField(func(k *props) any { return k.AnyOf }), Doc: "list of schemas, at least one of which holds"},
	{Name: "oneOf", Class: Combination, field: validationListField(func(k *props) any { return k.OneOf }), Doc: "list of schemas, exactly one of which holds"},
	{Name: "not", Class: Combination, field: treeField(func(k *props) any { return k.Not }), Doc: "a schema that does not hold"},
	{Name: "externalDocs", field: externalDocsField(), Doc: "where more is written: `url`, `description`"},
	{Name: "x-kubernetes-preserve-unknown-fields", Marker: "preserveUnknownFields", field: optionalFlagField(func(k *props) **bool { return &k.XPreserveUnknownFields }),
		Doc: "fields that the schema does not name are kept"},
	{Name: "x-kubernetes-embedded-resource", Marker: "embeddedResource", Types: objectType, field: flagField(func(k *props) *bool { return &k.XEmbeddedResource }),
		Doc: "the object is a Kubernetes object, with apiVersion, kind and metadata"},
	{Name: "x-kubernetes-int-or-string", field: flagField(func(k *props) *bool { return &k.XIntOrString }), Doc: "an integer or a text, such as a port"},
	{Name: "x-kubernetes-list-type", Class: Restriction, Marker: "listType", Types: arrayType, field: wordField(func(k *props) **string { return &k.XListType }, "atomic", "set", "map"),
		Doc: "how server-side apply merges the list: `atomic`, `set` or `map`"},
	{Name: "x-kubernetes-list-map-keys", Class: Restriction, Marker: "listMapKey", Types: arrayType, field: listMapKeysField(),
		Doc:       "list of the fields that identify an item of a list of type `map`",
		MarkerDoc: "a field that identifies an item of a list of type `map`; may be repeated"},
	{Name: "x-kubernetes-map-type", Class: Restriction, Marker: "mapType", Types: objectType, field: wordField(func(k *props) **string { return &k.XMapType }, "atomic", "granular"),
		Doc: "how server-side apply merges the object: `atomic` or `granular`"},
	{Name: "x-kubernetes-validations", field: validationsField(),
		Doc: "list of rules in CEL: `rule`, `message`, `messageExpression`, `reason`, `fieldPath`, `optionalOldSelf`"},
	{Name: "properties", field: holderField(), Doc: "the fields of an object, each with its schema, in the order of the Go type"},
	{Name: "items", field: holderField(), Doc: "the schema of the items of a list"},
	{Name: "additionalProperties", field: holderField(), Doc: "the schema of the values of a map, or `true` or `false`"},
	{Name: "goName", Marker: "goName", field: ownField(NameMarker),
		Doc: "the name of the Go field, which is made from the field's otherwise, or of the Go type of a named type"},
	{Name: "goConstants", field: ownField(NoMarker),
		Doc: "the names of the Go constants of an enum of texts, by value, where those that are made from the values will not do"},
}

// forbiddenKeywords are the keywords of JSON Schema that CRDs do not allow, with what to write
// instead.
var forbiddenKeywords = map[string]string{
	"$ref":              "write the schema out, or name a Kubernetes type: type: core/v1.ResourceRequirements",
	"$schema":           "leave it out",
	"id":                "leave it out; a field of that name goes under properties",
	"definitions":       "write the schemas out where they are used",
	"dependencies":      "write a rule under x-kubernetes-validations",
	"patternProperties": "use additionalProperties",
	"additionalItems":   "all items of a list have the schema under items",
}
