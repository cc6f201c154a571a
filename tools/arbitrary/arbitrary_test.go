package arbitrary

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// crdOf returns a CRD whose spec has a schema.
func crdOf(t *testing.T, schema string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextv1.CustomResourceDefinition{}
	crd.Name = "things.example.com"
	crd.Spec.Group, crd.Spec.Names.Kind = "example.com", "Thing"
	root := "{type: object, required: [spec], properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: " + schema + "}}"
	props := &apiextv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(root), props); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Versions = []apiextv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextv1.CustomResourceValidation{OpenAPIV3Schema: props},
	}}
	return crd
}

// specs returns the specs of so many objects as text; making one checks that it is valid.
func specs(t *testing.T, schema, seed string, n int) []string {
	t.Helper()
	m, err := New(crdOf(t, schema), "v1", seed)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for range n {
		object, err := m.Object()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, jsonText(object["spec"]))
	}
	return all
}

// TestObjectsReachBranchesAndBoundaries shows that what is special in a schema turns up in some
// objects.
func TestObjectsReachBranchesAndBoundaries(t *testing.T) {
	for _, tc := range []struct {
		given, schema string
		reach         []string
	}{
		{"an enum", `{type: object, required: [a], properties: {a: {type: string, enum: [x, "", z]}}}`,
			[]string{`{"a":"x"}`, `{"a":""}`, `{"a":"z"}`}},
		{"an enum of numbers", `{type: object, required: [a], properties: {a: {type: integer, enum: [1, 0, -2]}}}`,
			[]string{`{"a":1}`, `{"a":0}`, `{"a":-2}`}},
		{"limits of a number", `{type: object, required: [a], properties: {a: {type: integer, minimum: 1, exclusiveMinimum: true, maximum: 9, multipleOf: 2}}}`,
			[]string{`{"a":2}`, `{"a":8}`}},
		{"lengths", `{type: object, required: [a], properties: {a: {type: string, minLength: 2, maxLength: 5, pattern: "^[a-z]*$"}}}`,
			[]string{`{"a":"aa"}`, `{"a":"aaaaa"}`}},
		{"sizes of lists", `{type: object, required: [a], properties: {a: {type: array, minItems: 1, maxItems: 4, items: {type: boolean}}}}`,
			[]string{`{"a":[true]}`, `{"a":[false,false,false,false]}|{"a":[true,false,true,false]}|{"a":[false,true,false,true]}`}},
		{"null", `{type: object, required: [a], properties: {a: {type: boolean, nullable: true}}}`, []string{`{"a":null}`, `{"a":true}`}},
		{"a default and what is absent", `{type: object, properties: {a: {type: string, default: x}}}`, []string{`{}`, `{"a":"x"}`, `{"a":""}`}},
		{"branches", `{type: object, properties: {a: {type: boolean}, b: {type: boolean}}, oneOf: [{required: [a]}, {required: [b]}]}`,
			[]string{`{"a":true}`, `{"b":false}`}},
		{"at most one of", `{type: object, properties: {a: {type: boolean}, b: {type: boolean}},
			oneOf: [{not: {anyOf: [{required: [a]}, {required: [b]}]}}, {required: [a]}, {required: [b]}]}`,
			[]string{`{}`, `{"a":true}`, `{"b":true}`}},
		{"rules that fit together", `{type: object, required: [kind], properties: {kind: {type: string, enum: [A, B]}, a: {type: integer, enum: [1]}, b: {type: integer, enum: [1]}},
			x-kubernetes-validations: [{rule: "(self.kind == 'A') == has(self.a)"}, {rule: "(self.kind == 'B') == has(self.b)"}]}`,
			[]string{`{"a":1,"kind":"A"}`, `{"b":1,"kind":"B"}`}},
		{"a text that only a rule names", `{type: object, required: [a], properties: {a: {type: string, maxLength: 99}},
			x-kubernetes-validations: [{rule: "self.a in ['here', 'there']"}]}`, []string{`{"a":"here"}`, `{"a":"there"}`}},
	} {
		t.Run(tc.given, func(t *testing.T) {
			all := strings.Join(specs(t, tc.schema, "", 60), "\n") + "\n"
			for _, want := range tc.reach {
				found := false
				for _, one := range strings.Split(want, "|") {
					found = found || strings.Contains(all, one+"\n")
				}
				if !found {
					t.Errorf("%s is in none of:\n%s", want, all)
				}
			}
		})
	}
}

// TestSameSeedSameObjects shows that a finding can be looked at again.
func TestSameSeedSameObjects(t *testing.T) {
	schema := `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, pattern: "^[a-f]{1,8}$"}, b: {type: array, items: {type: number}}, c: {type: string}},
		x-kubernetes-validations: [{rule: "has(self.a) != has(self.c)"}, {rule: "!has(self.c) || self.c.matches('^[a-z]+-[0-9]+$') && self.c.size() < 9"}]}`
	first, again := specs(t, schema, "1", 20), specs(t, schema, "1", 20)
	if !reflect.DeepEqual(first, again) {
		t.Errorf("%s\nthen\n%s", first, again)
	}
	if other := specs(t, schema, "2", 20); reflect.DeepEqual(first, other) {
		t.Error("another seed makes the same objects")
	}
}

// TestListsKeepApart shows that the items of sets and maps differ.
func TestListsKeepApart(t *testing.T) {
	for _, spec := range specs(t, `{type: object, required: [set, map], properties: {
		set: {type: array, x-kubernetes-list-type: set, minItems: 2, items: {type: string, enum: [a, b, c]}},
		map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], minItems: 2,
			items: {type: object, required: [k], properties: {k: {type: string, default: ""}, v: {type: integer}}}}}}`, "", 20) {
		if strings.Count(spec, `"k"`) < 2 {
			t.Error(spec)
		}
	}
}

// TestNothingFound shows that the caller learns of a schema that no object was found for.
func TestNothingFound(t *testing.T) {
	m, err := New(crdOf(t, `{type: object, required: [a], properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a.size() == 7777"}]}`), "v1", "")
	if err != nil {
		t.Fatal(err)
	}
	object, err := m.Object()
	if err == nil {
		t.Fatalf("made %v", fmt.Sprint(object))
	}
	if got, want := err.Error(), "rule of self: self.a.size() == 7777"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}
