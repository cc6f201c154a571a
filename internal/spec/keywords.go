package spec

import (
	"slices"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// props is what a schema says of itself.
type props = apiextv1.JSONSchemaProps

// Keyword is a row of the table of schema keywords: a keyword of OpenAPI v3 that CRDs allow, or of
// the spec language.
type Keyword struct {
	Name   string
	Marker string   // its name in the shorthand; empty: it has none there
	Types  []string // of OpenAPI, to which the marker applies; nil: to all
	Doc    string   // Markdown
	// MarkerDoc is what the marker means where that is not Doc, in Markdown.
	MarkerDoc string
	field     keywordField
}

// The types of OpenAPI that markers apply to.
var (
	numberTypes = []string{"integer", "number"}
	formatTypes = []string{"string", "integer", "number"}
	stringType  = []string{"string"}
	arrayType   = []string{"array"}
	objectType  = []string{"object"}
)

// keywordTable has every keyword of schemas. The ones without a field are decoded by decodeOpenAPI
// and decodeTree.
var keywordTable = []Keyword{
	{Name: "type", field: textField(func(k *props) *string { return &k.Type }),
		Doc: "`string`, `integer`, `number`, `boolean`, `object` or `array`; or a Kubernetes type, such as `core/v1.PodSpec`, `time`, `duration`, `quantity` or `intOrString`, a Go type by its import path, or a name under `types`: the other keywords are laid over its schema; or a list or map of such, as in the shorthand: `[]core/v1.EnvVar`"},
	{Name: "format", Marker: "format", Types: formatTypes, field: textField(func(k *props) *string { return &k.Format }),
		Doc: "what the text or the number is, such as `date-time`, `uri` or `int32`"},
	{Name: "title", Marker: "title", field: proseField(func(k *props) *string { return &k.Title }), Doc: "a heading"},
	{Name: "description", Marker: "description", field: proseField(func(k *props) *string { return &k.Description }),
		Doc: "what it is for, in the place of the comment above the field"},
	{Name: "default", Marker: "default", field: jsonField(func(k *props) **apiextv1.JSON { return &k.Default }), Doc: "the value where users leave it out"},
	{Name: "example", Marker: "example", field: jsonField(func(k *props) **apiextv1.JSON { return &k.Example }), Doc: "a value to show"},
	{Name: "enum", Marker: "enum", field: enumField(), Doc: "list of the only values"},
	{Name: "required", Marker: "required", field: requiredField(), Doc: "list of the fields that must be there", MarkerDoc: "the field must be there"},
	{Name: "nullable", Marker: "nullable", field: flagField(func(k *props) *bool { return &k.Nullable }),
		Doc: "null is a value; where the field is optional, too, the `Nulls` of its Go type tells null from absent"},
	{Name: "minimum", Marker: "minimum", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.Minimum }), Doc: "the smallest number"},
	{Name: "maximum", Marker: "maximum", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.Maximum }), Doc: "the largest number"},
	{Name: "exclusiveMinimum", Marker: "exclusiveMinimum", Types: numberTypes, field: flagField(func(k *props) *bool { return &k.ExclusiveMinimum }), Doc: "`minimum` itself is too small"},
	{Name: "exclusiveMaximum", Marker: "exclusiveMaximum", Types: numberTypes, field: flagField(func(k *props) *bool { return &k.ExclusiveMaximum }), Doc: "`maximum` itself is too large"},
	{Name: "multipleOf", Marker: "multipleOf", Types: numberTypes, field: numberField(func(k *props) **float64 { return &k.MultipleOf }), Doc: "the number is a multiple of this"},
	{Name: "minLength", Marker: "minLength", Types: stringType, field: countField(func(k *props) **int64 { return &k.MinLength }), Doc: "the fewest characters of a text"},
	{Name: "maxLength", Marker: "maxLength", Types: stringType, field: countField(func(k *props) **int64 { return &k.MaxLength }), Doc: "the most characters of a text"},
	{Name: "pattern", Marker: "pattern", Types: stringType, field: proseField(func(k *props) *string { return &k.Pattern }), Doc: "regular expression that a text matches somewhere"},
	{Name: "minItems", Marker: "minItems", Types: arrayType, field: countField(func(k *props) **int64 { return &k.MinItems }), Doc: "the fewest items of a list"},
	{Name: "maxItems", Marker: "maxItems", Types: arrayType, field: countField(func(k *props) **int64 { return &k.MaxItems }), Doc: "the most items of a list"},
	{Name: "uniqueItems", field: flagField(func(k *props) *bool { return &k.UniqueItems }), Doc: "CRDs allow only `false`; a list without repetition is `x-kubernetes-list-type: set`"},
	{Name: "minProperties", Marker: "minProperties", Types: objectType, field: countField(func(k *props) **int64 { return &k.MinProperties }), Doc: "the fewest fields of an object or keys of a map"},
	{Name: "maxProperties", Marker: "maxProperties", Types: objectType, field: countField(func(k *props) **int64 { return &k.MaxProperties }), Doc: "the most fields of an object or keys of a map"},
	{Name: "allOf", field: treesField(), Doc: "list of schemas, all of which hold"},
	{Name: "anyOf", field: treesField(), Doc: "list of schemas, at least one of which holds"},
	{Name: "oneOf", field: treesField(), Doc: "list of schemas, exactly one of which holds"},
	{Name: "not", field: treeField(), Doc: "a schema that does not hold"},
	{Name: "externalDocs", field: externalDocsField(), Doc: "where more is written: `url`, `description`"},
	{Name: "x-kubernetes-preserve-unknown-fields", Marker: "preserveUnknownFields", field: optionalFlagField(func(k *props) **bool { return &k.XPreserveUnknownFields }),
		Doc: "fields that the schema does not name are kept"},
	{Name: "x-kubernetes-embedded-resource", Marker: "embeddedResource", Types: objectType, field: flagField(func(k *props) *bool { return &k.XEmbeddedResource }),
		Doc: "the object is a Kubernetes object, with apiVersion, kind and metadata"},
	{Name: "x-kubernetes-int-or-string", field: flagField(func(k *props) *bool { return &k.XIntOrString }), Doc: "an integer or a text, such as a port"},
	{Name: "x-kubernetes-list-type", Marker: "listType", Types: arrayType, field: wordField(func(k *props) **string { return &k.XListType }, "atomic", "set", "map"),
		Doc: "how server-side apply merges the list: `atomic`, `set` or `map`"},
	{Name: "x-kubernetes-list-map-keys", Marker: "listMapKey", Types: arrayType, field: listMapKeysField(),
		Doc:       "list of the fields that identify an item of a list of type `map`",
		MarkerDoc: "a field that identifies an item of a list of type `map`; may be repeated"},
	{Name: "x-kubernetes-map-type", Marker: "mapType", Types: objectType, field: wordField(func(k *props) **string { return &k.XMapType }, "atomic", "granular"),
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

// forbiddenKeywords are the keywords of JSON Schema that no CRD may have, with what to write
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

// keywordIndex has the rows by name and by marker.
var keywordIndex = sync.OnceValue(func() (index struct{ byName, byMarker map[string]*Keyword }) {
	index.byName, index.byMarker = map[string]*Keyword{}, map[string]*Keyword{}
	for i := range keywordTable {
		k := &keywordTable[i]
		index.byName[k.Name] = k
		if k.Marker != "" {
			index.byMarker[k.Marker] = k
		}
	}
	return index
})

// KeywordByName returns the row of a keyword, nil for none.
func KeywordByName(name string) *Keyword { return keywordIndex().byName[name] }

// Keywords returns the table of schema keywords.
func Keywords() []Keyword { return slices.Clone(keywordTable) }

// keywordNames returns all keys that a schema which is written as a mapping may have, sorted.
func keywordNames() []string {
	var names []string
	for _, k := range keywordTable {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// markerNames returns the names of the markers, sorted.
func markerNames() []string {
	var names []string
	for _, k := range keywordTable {
		if k.Marker != "" {
			names = append(names, k.Marker)
		}
	}
	slices.Sort(names)
	return names
}

// Form returns how the value of the marker is written.
func (k *Keyword) Form() MarkerForm { return k.field.form }

// Words returns the only values of the keyword, nil for any.
func (k *Keyword) Words() []string { return k.field.words }

// HoldsSchemas reports whether the keyword has schemas of fields, items or values.
func (k *Keyword) HoldsSchemas() bool { return k.field.holds }

// IsOwn reports whether the keyword is one of the spec language alone, which CRDs lack.
func (k *Keyword) IsOwn() bool { return k.field.own }

// LimitKeywords returns the keywords that limit the values of certain types.
var LimitKeywords = sync.OnceValue(func() []Keyword {
	return slices.DeleteFunc(Keywords(), func(k Keyword) bool { return !k.IsLimit() })
})

// IsSet reports whether a schema has a limit.
func (k *Keyword) IsSet(s *apiextv1.JSONSchemaProps) bool { return k.field.isSet(s) }

// IsLimit reports whether the keyword limits the values of certain types.
func (k *Keyword) IsLimit() bool {
	return k.Types != nil && (k.Form() == CountMarker || k.Form() == NumberMarker || k.Name == "pattern")
}

// Schema returns the JSON Schema of the value of a keyword that CRDs have and that holds no schemas
// of fields.
func (k *Keyword) Schema(l *Language) *jsonschema.Schema { return k.field.schema(l) }
