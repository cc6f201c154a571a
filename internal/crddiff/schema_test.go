package crddiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crddiff"
)

// crdWith returns a CRD whose version v1 has a schema, given as YAML in one line.
func crdWith(t *testing.T, schema string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextv1.CustomResourceDefinition{}
	crd.Name = "echoes.example.com"
	crd.Spec.Group, crd.Spec.Names = "example.com", apiextv1.CustomResourceDefinitionNames{Kind: "Echo", Plural: "echoes"}
	version := apiextv1.CustomResourceDefinitionVersion{Name: "v1", Schema: &apiextv1.CustomResourceValidation{}}
	text := "type: object\nproperties: {spec: {type: object, properties: {" + schema + "}}}"
	if err := yaml.UnmarshalStrict([]byte(text), &version.Schema.OpenAPIV3Schema); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Versions = []apiextv1.CustomResourceDefinitionVersion{version}
	return crd
}

// lines returns the differences of the only pair of a report, one on each line.
func lines(r crddiff.Report) string {
	var b strings.Builder
	for _, p := range r.Pairs {
		for _, d := range p.Differences {
			ours := d.Ours
			if strings.HasSuffix(d.Path, ".description") {
				ours = ours[:min(len(ours), 21)]
			}
			fmt.Fprintf(&b, "%s: %s | %s", d.Path, ours, d.Theirs)
			if d.Cause != crddiff.OwnSource {
				fmt.Fprintf(&b, " (%s)", d.Cause)
			}
			if d.Effect != crddiff.NoEffect {
				fmt.Fprintf(&b, " objects %s", d.Effect)
			}
			b.WriteString("\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestCompareSchemas(t *testing.T) {
	for _, c := range []struct{ name, ours, theirs, expected string }{
		{"equal", "a: {type: string, maxLength: 5}", "a: {type: string, maxLength: 5}", ""},
		{"the order of an enum", "a: {type: string, enum: [x, z]}", "a: {type: string, enum: [z, x]}", ""},
		{"the order of required", "a: {type: object, required: [x, y], properties: {x: {}, y: {}}}", "a: {type: object, required: [y, x], properties: {y: {}, x: {}}}", ""},
		{"the order of list keys", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [x, y]}", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [y, x]}", ""},
		{"the order of alternatives", "a: {anyOf: [{type: integer}, {type: string}]}", "a: {anyOf: [{type: string}, {type: integer}]}", ""},
		{"the order of rules", "a: {x-kubernetes-validations: [{rule: a}, {rule: b}]}", "a: {x-kubernetes-validations: [{rule: b}, {rule: a}]}", ""},
		{"the order of keys in a default", "a: {type: object, default: {x: 1, y: 2.0}}", "a: {type: object, default: {y: 2, x: 1}}", ""},
		{"what is implied", "a: {type: array, x-kubernetes-list-type: atomic}", "a: {type: array}", ""},
		{"what is implied of an object", "a: {type: object}", "a: {type: object, x-kubernetes-map-type: granular, nullable: false}", ""},
		{"a wrapped description", `a: {type: string, description: "one two\nthree"}`, "a: {type: string, description: one two three}", ""},

		{"a field more", "a: {type: string}, b: {type: string}", "a: {type: string}", "v1.spec.b: field | "},
		{"a field less", "a: {type: string}", "a: {type: string}, b: {type: string}", "v1.spec.b:  | field objects lose this field"},
		{"a field less where all are kept", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}",
			"a: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}}", "v1.spec.a.b:  | field"},
		{"a required field more", "a: {type: object, required: [x], properties: {x: {type: string}}}", "a: {type: object}", "v1.spec.a.x: field |  objects may be refused"},
		{"a required field more with a default", "a: {type: object, required: [x], properties: {x: {type: string, default: x}}}", "a: {type: object}", "v1.spec.a.x: field | "},
		{"required", "a: {type: object, required: [x], properties: {x: {type: string}}}", "a: {type: object, properties: {x: {type: string}}}",
			"v1.spec.a.x: required | optional objects may be refused"},
		{"no more required", "a: {type: object, properties: {x: {type: string}}}", "a: {type: object, required: [x], properties: {x: {type: string}}}",
			"v1.spec.a.x: optional | required"},

		{"another type", "a: {type: string}", "a: {type: integer}", `v1.spec.a.type: "string" | "integer" objects may be refused`},
		{"a wider type", "a: {type: number}", "a: {type: integer}", `v1.spec.a.type: "number" | "integer"`},
		{"a lower maximum", "a: {type: integer, maximum: 5}", "a: {type: integer, maximum: 9}", "v1.spec.a.maximum: 5 | 9 objects may be refused"},
		{"a higher maximum", "a: {type: integer, maximum: 9}", "a: {type: integer, maximum: 5}", "v1.spec.a.maximum: 9 | 5"},
		{"a new minimum", "a: {type: integer, minimum: 0}", "a: {type: integer}", "v1.spec.a.minimum: 0 |  objects may be refused"},
		{"no maximum any more", "a: {type: integer}", "a: {type: integer, maximum: 5}", "v1.spec.a.maximum:  | 5"},
		{"a shorter list", "a: {type: array, maxItems: 5}", "a: {type: array, maxItems: 9}", "v1.spec.a.maxItems: 5 | 9 objects may be refused"},
		{"a longer text", "a: {type: string, minLength: 1}", "a: {type: string, minLength: 2}", "v1.spec.a.minLength: 1 | 2"},
		{"a value less", "a: {type: string, enum: [x]}", "a: {type: string, enum: [x, z]}", `v1.spec.a.enum: ["x"] | ["x","z"] objects may be refused`},
		{"a value more", "a: {type: string, enum: [x, z]}", "a: {type: string, enum: [x]}", `v1.spec.a.enum: ["x","z"] | ["x"]`},
		{"a pattern", "a: {type: string, pattern: ^a}", "a: {type: string}", `v1.spec.a.pattern: "^a" |  objects may be refused`},
		{"a format that is checked", "a: {type: string, format: date}", "a: {type: string}", `v1.spec.a.format: "date" |  objects may be refused`},
		{"a format that is not checked", "a: {type: integer, format: int32}", "a: {type: integer, format: int64}", `v1.spec.a.format: "int32" | "int64"`},
		{"a default", "a: {type: string, default: x}", "a: {type: string}", `v1.spec.a.default: "x" | `},
		{"null", "a: {type: string}", "a: {type: string, nullable: true}", "v1.spec.a.nullable:  | true objects may be refused"},
		{"a rule", "a: {x-kubernetes-validations: [{rule: a}, {rule: b}]}", "a: {x-kubernetes-validations: [{rule: a}]}",
			`v1.spec.a.x-kubernetes-validations: {"rule":"b"} |  objects may be refused`},
		{"the message of a rule", "a: {x-kubernetes-validations: [{rule: a, message: x}]}", "a: {x-kubernetes-validations: [{rule: a}]}",
			`v1.spec.a.x-kubernetes-validations: {"rule":"a","message":"x"} | {"rule":"a"}`},
		{"unknown fields", "a: {type: object}", "a: {type: object, x-kubernetes-preserve-unknown-fields: true}",
			"v1.spec.a.x-kubernetes-preserve-unknown-fields:  | true objects lose this field"},
		{"a list that is a map", "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [x]}", "a: {type: array}",
			"v1.spec.a.x-kubernetes-list-map-keys: [\"x\"] |  objects may be refused\nv1.spec.a.x-kubernetes-list-type: \"map\" |  objects may be refused"},
		{"a list that is a map no more", "a: {type: array}", "a: {type: array, x-kubernetes-list-type: set}", `v1.spec.a.x-kubernetes-list-type:  | "set"`},
		{"a map no more", "a: {type: object}", "a: {type: object, additionalProperties: {type: string}}", "v1.spec.a.additionalProperties:  | a schema objects lose this field"},

		{"items", "a: {type: array, items: {type: object, properties: {x: {type: string, maxLength: 1}}}}", "a: {type: array, items: {type: object, properties: {x: {type: string}}}}",
			"v1.spec.a[].x.maxLength: 1 |  objects may be refused"},
		{"values", "a: {type: object, additionalProperties: {type: string, maxLength: 1}}", "a: {type: object, additionalProperties: {type: string}}",
			"v1.spec.a.*.maxLength: 1 |  objects may be refused"},

		{"a description", "a: {description: one}", "a: {description: two}", "v1.spec.a.description: one | two (description)"},
		{"embedded metadata", "a: {type: object, properties: {metadata: {type: object}}}",
			"a: {type: object, properties: {metadata: {type: object, properties: {name: {}, labels: {}, annotations: {}}}}}",
			"v1.spec.a.metadata: false | true (embeddedMetadata) objects lose this field"},
		{"all embedded metadata", "a: {type: object, properties: {metadata: {type: object, properties: {name: {}, labels: {}, annotations: {}, namespace: {}, finalizers: {}}}}}",
			"a: {type: object, properties: {metadata: {type: object, properties: {name: {}, labels: {}, annotations: {}}}}}",
			"v1.spec.a.metadata: All | true (embeddedMetadata)"},
		{"a field metadata of one's own", "a: {type: object, properties: {metadata: {type: object, properties: {x: {}}}}}", "a: {type: object, properties: {metadata: {type: object}}}",
			"v1.spec.a.metadata.x: field | "},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, theirs := crdWith(t, c.ours), crdWith(t, c.theirs)
			before := ours.DeepCopy()
			r := crddiff.Compare([]crddiff.Made{{CRD: ours}}, []crddiff.Other{{CRD: theirs}})
			if diff := cmp.Diff(c.expected, lines(r)); diff != "" {
				t.Error(diff)
			}
			if r.Equal() != (c.expected == "") {
				t.Errorf("Equal() = %v", r.Equal())
			}
			if diff := cmp.Diff(before, ours); diff != "" {
				t.Errorf("the CRD has changed: %s", diff)
			}
		})
	}
}
