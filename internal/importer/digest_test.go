package importer

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestSchemaDigests shows what makes two schemas one type, and what each use can say for itself.
func TestSchemaDigests(t *testing.T) {
	for _, tc := range []struct {
		what, a, b    string
		asType, whole bool // are the same
	}{
		{"the order of keys", `{type: object, properties: {a: {}, b: {}}}`, `{properties: {b: {}, a: {}}, type: object}`, true, true},
		{"how YAML writes it", `{type: "object", minProperties: 0x10}`, `{'type': object, minProperties: 16}`, true, true},
		{"the order of required", `{required: [a, b]}`, `{required: [b, a]}`, true, true},
		{"false and none", `{type: object, x-kubernetes-embedded-resource: false}`, `{type: object}`, true, true},
		{"null and none", `{type: object, maxProperties: null}`, `{type: object}`, true, true},
		{"no description and none", `{type: object, description: ""}`, `{type: object}`, true, true},
		{"the description", `{type: object, description: a}`, `{type: object, description: b}`, true, false},
		{"the default", `{type: object, default: {}}`, `{type: object}`, true, false},
		{"a default of false", `{type: boolean, default: false}`, `{type: boolean}`, true, false},
		{"a default of nothing", `{type: object, default: null}`, `{type: object}`, true, false},
		{"nullable", `{type: object, nullable: true}`, `{type: object}`, true, false},
		{"the title", `{type: object, title: a}`, `{type: object, title: b}`, true, false},
		{"the description of a field", `{properties: {a: {description: a}}}`, `{properties: {a: {description: b}}}`, false, false},
		{"the default of an item", `{items: {default: a}}`, `{items: {default: b}}`, false, false},
		{"a limit", `{minProperties: 1}`, `{minProperties: 2}`, false, false},
		{"text and number", `{pattern: "1"}`, `{pattern: 1}`, false, false},
		{"the order of an enum", `{enum: [a, b]}`, `{enum: [b, a]}`, false, false},
		{"no fields and none", `{properties: {}}`, `{}`, false, false},
		{"no values allowed", `{additionalProperties: false}`, `{}`, false, false},
		{"nothing required", `{required: []}`, `{}`, false, false},
		{"required twice", `{required: [a, a]}`, `{required: [a]}`, false, false},
		{"where a text ends", `{enum: [ab, c]}`, `{enum: [a, bc]}`, false, false},
		{"where a list ends", `{enum: [[a], b]}`, `{enum: [[a, b]]}`, false, false},
		{"a field and a keyword", `{properties: {a: {}, type: {}}}`, `{properties: {a: {}}, type: {}}`, false, false},
	} {
		t.Run(tc.what, func(t *testing.T) {
			a, b := digestsOf(t, tc.a), digestsOf(t, tc.b)
			if got := a.asType == b.asType; got != tc.asType {
				t.Errorf("same asType: got %v", got)
			}
			if got := a.whole == b.whole; got != tc.whole {
				t.Errorf("same whole: got %v", got)
			}
		})
	}
}

func digestsOf(t *testing.T, text string) schemaDigests {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return digester{}.digests(doc.Content[0])
}
