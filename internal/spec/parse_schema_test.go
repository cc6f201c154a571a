package spec

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFields shows what fields mean: the OpenAPI keywords as JSON, and the nodes below them.
func TestFields(t *testing.T) {
	timePattern, duration := quoted(TimePattern), quoted(DurationPattern)
	for _, tc := range []struct {
		given string
		want  string // as view renders it
	}{
		{"a: string", `{"type":"string"}`},
		{"a: bool | default=true", `{"type":"boolean","default":true}`},
		{"a: int64 | minimum=-1 exclusiveMinimum maximum=9", `{"type":"integer","format":"int64","maximum":9,"minimum":-1,"exclusiveMinimum":true}`},
		{"a: double | multipleOf=0.5 default=1.5", `{"type":"number","format":"double","default":1.5,"multipleOf":0.5}`},
		{"a: string | default=12", `{"type":"string","default":"12"}`},
		{"a: string | default=[x]", `{"type":"string","default":"[x]"}`},
		{`a: 'string | default="" title="two \"words\""'`, `{"type":"string","title":"two \"words\"","default":""}`},
		{"a: string | pattern=^(a|b)\\d+$", `{"type":"string","pattern":"^(a|b)\\d+$"}`},
		{"a: string | pattern=`^a b$`", `{"type":"string","pattern":"^a b$"}`},
		{`a: 'string | enum=[Plain, "two words", ""]'`, `{"type":"string","enum":["Plain","two words",""]}`},
		{"a: int32 | enum=[1,2]", `{"type":"integer","format":"int32","enum":[1,2]}`},
		{"a: string | required=false nullable", `{"type":"string","nullable":true}`},
		{`a: "[]string"`, `{"type":"array"} [*] {"type":"string"}`},
		{`a: "[]string | default=[a, b] minItems=1 listType=set"`, `{"type":"array","default":["a","b"],"minItems":1,"x-kubernetes-list-type":"set"} [*] {"type":"string"}`},
		{`a: '[]core/v1.EnvVar | listType=map listMapKey=name listMapKey=value'`, `{"type":"array","x-kubernetes-list-map-keys":["name","value"],"x-kubernetes-list-type":"map"} [*] core/v1.EnvVar {}`},
		{"a: map[string][]int32", `{"type":"object"} .* {"type":"array"} [*] {"type":"integer","format":"int32"}`},
		{"a: 'map[string]string | default={\"a\": \"b\"} maxProperties=3 mapType=atomic'", `{"type":"object","default":{"a":"b"},"maxProperties":3,"x-kubernetes-map-type":"atomic"} .* {"type":"string"}`},
		{"a: any", `{"x-kubernetes-preserve-unknown-fields":true}`},
		{"a: object", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`},
		{"a: time", `meta/v1.Time {"pattern":` + timePattern + `}`},
		{"a: meta/v1.Time", `meta/v1.Time {}`},
		{"a: meta/v1.MicroTime", `meta/v1.MicroTime {"pattern":` + quoted(MicroTimePattern) + `}`},
		{"a: duration | default=30s", `meta/v1.Duration {"default":"30s","pattern":` + duration + `}`},
		{"a: meta/v1.Duration", `meta/v1.Duration {"pattern":` + duration + `}`},
		{"a: '[]duration'", `{"type":"array"} [*] meta/v1.Duration {"pattern":` + duration + `}`},
		{"a: duration | pattern=^[0-9]+h$ maxLength=4", `meta/v1.Duration {"maxLength":4,"pattern":"^[0-9]+h$","allOf":[{"pattern":` + duration + `}]}`},
		{
			"a: {pattern: ^1, allOf: [{pattern: h$}], type: duration}",
			`meta/v1.Duration {"pattern":"^1","allOf":[{"pattern":"h$"},{"pattern":` + duration + `}]}`,
		},
		{"a: quantity | default=100Mi", `resource.Quantity {"default":"100Mi","pattern":` + quoted(QuantityPattern) + `}`},
		{"a: resource.Quantity", `resource.Quantity {}`},
		{"a: intOrString | default=80", `intstr.IntOrString {"default":80,"maximum":2147483647,"minimum":-2147483648}`},
		{"a: intOrString | minimum=1 default=80%", `intstr.IntOrString {"default":"80%","maximum":2147483647,"minimum":1}`},
		{"a: intstr.IntOrString", `intstr.IntOrString {}`},
		{"a: core/v1.ResourceRequirements", `core/v1.ResourceRequirements {}`},
		{"a: {type: quantity, x-kubernetes-validations: [{rule: self != '0'}]}", `resource.Quantity {"pattern":` + quoted(QuantityPattern) + `,"x-kubernetes-validations":[{"rule":"self != '0'"}]}`},
		{"a: {type: core/v1.Pod, description: A pod.}", `core/v1.Pod {"description":"A pod."}`},
		{"a: {properties: {}}", `{"type":"object"}`},
		{"a: {items: string}", `{"type":"array"} [*] {"type":"string"}`},
		{"a: {items: string | minLength=1, maxItems: 5}", `{"type":"array","maxItems":5} [*] {"type":"string","minLength":1}`},
		{"a: {additionalProperties: int32}", `{"type":"object"} .* {"type":"integer","format":"int32"}`},
		{"a: {additionalProperties: true}", `{"type":"object"} .* true`},
		{"a: {properties: {b: string | required, c: int32}, required: [c]}", `{"type":"object","required":["c","b"]} .b {"type":"string"} .c {"type":"integer","format":"int32"}`},
		{"a: {type: string, nullable: true, default: null}", `{"type":"string","default":null,"nullable":true}`},
		{"a: {type: string, enum: [a, \"\", \"on\", 'b'], example: x, title: T, externalDocs: {url: 'https://a'}}", `{"type":"string","title":"T","enum":["a","","on","b"],"externalDocs":{"url":"https://a"},"example":"x"}`},
		{"a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}", `{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}`},
		{
			"a: {type: object, oneOf: [{required: [b]}, {not: {properties: {b: {enum: [1]}}}}], allOf: [{items: {minimum: 1}}, {additionalProperties: {maximum: 2}}]}",
			`{"type":"object","allOf":[{"items":{"minimum":1}},{"additionalProperties":{"maximum":2}}],"oneOf":[{"required":["b"]},{"not":{"properties":{"b":{"enum":[1]}}}}]}`,
		},
		{
			"a: {x-kubernetes-validations: [{rule: self.b, message: m, messageExpression: '\"x\"', reason: FieldValueInvalid, fieldPath: .b, optionalOldSelf: true}]}",
			`{"x-kubernetes-validations":[{"rule":"self.b","message":"m","messageExpression":"\"x\"","reason":"FieldValueInvalid","fieldPath":".b","optionalOldSelf":true}]}`,
		},
	} {
		t.Run(tc.given, func(t *testing.T) {
			if got := view(t, field(t, tc.given).Schema); got != tc.want {
				t.Errorf("-want +got:\n%s", cmp.Diff(tc.want, got))
			}
		})
	}
}

// view renders a schema: its Kubernetes type, its keywords as JSON, and each node below it behind
// where it is.
func view(t *testing.T, s *Schema) string {
	t.Helper()
	raw, err := json.Marshal(s.Keywords)
	if err != nil {
		t.Fatal(err)
	}
	out := string(raw)
	if s.Type != "" {
		out = s.Type + " " + out
	}
	for _, p := range s.Properties {
		out += " ." + p.Name + " " + view(t, p.Schema)
	}
	if s.Items != nil {
		out += " [*] " + view(t, s.Items)
	}
	if s.AdditionalProperties != nil {
		out += " .* " + view(t, s.AdditionalProperties)
	}
	if s.AdditionalPropertiesAllowed != nil {
		raw, _ := json.Marshal(*s.AdditionalPropertiesAllowed)
		out += " .* " + string(raw)
	}
	return out
}

func TestKeywordsKeepPositions(t *testing.T) {
	p := field(t, "a:", "  type: string", "  enum: [x, y]", "  allOf:", "  - properties: {b: {pattern: c}}")
	for path, want := range map[string]Pos{
		"type":                          {Line: 10, Column: 15},
		"enum[1]":                       {Line: 11, Column: 19},
		"allOf[0].properties.b.pattern": {Line: 13, Column: 37},
	} {
		want.File = "api/echoserver.yaml"
		if got := p.Schema.At[path]; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestOrderOfFieldsIsKept(t *testing.T) {
	spec := mustParse(t, apiHead+"  spec: {properties: {z: string, a: string, m: string}}\n").Versions[0].Spec
	if diff := cmp.Diff([]string{"z", "a", "m"}, spec.fieldNames()); diff != "" {
		t.Error(diff)
	}
}

// quoted returns a text as JSON.
func quoted(text string) string { return string(quoteJSON(text)) }
