package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestRepeatedObjectsComeBack imports CRDs of a few shapes of objects that stand in many places,
// each with what a use of a type can say for itself and with what it cannot.
func TestRepeatedObjectsComeBack(t *testing.T) {
	const seeds = 60
	named := 0
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			source := map[string]any{
				"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
				"metadata": map[string]any{"name": "widgets.example.com"},
				"spec": map[string]any{
					"group": "example.com", "scope": "Namespaced", "versions": versions(seed),
					"names": map[string]any{"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
				},
			}
			text, err := yaml.Marshal(source)
			if err != nil {
				t.Fatal(err)
			}
			specs, problems := importer.Import("crd.yaml", text)
			if err := problems.Err(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			crd, problems := crdgen.CRD(specs[0].API, spec.DefaultMinKubernetes)
			if err := problems.Err(); err != nil {
				t.Fatalf("%v\n%s", err, specs[0].Text)
			}
			made, err := crdgen.MarshalCRDOf(specs[0].API, crd)
			if err != nil {
				t.Fatal(err)
			}
			var want, got map[string]any
			if yaml.Unmarshal(text, &want) != nil || yaml.Unmarshal(made, &got) != nil {
				t.Fatal("is no YAML")
			}
			if !isSameCRD(want, got) {
				t.Errorf("-source +made\n%s\n%s", cmp.Diff(normalForm(want, ""), normalForm(got, "")), specs[0].Text)
			}
			named += len(specs[0].API.Types)
		})
	}
	if named < 2*seeds {
		t.Errorf("only %d types are named", named)
	}
}

// versions returns two versions of a CRD whose objects are of the same few shapes.
func versions(seed uint64) []any {
	random := rand.New(rand.NewPCG(seed, 1))
	shapes := []map[string]any{object(map[string]any{"a": map[string]any{"type": "string"}})}
	for range 2 + seed%4 {
		fields := map[string]any{"n": map[string]any{"type": "integer", "description": []string{"", "one", "two"}[random.IntN(3)]}}
		if fields["n"].(map[string]any)["description"] == "" {
			delete(fields["n"].(map[string]any), "description")
		}
		for i := range random.IntN(3) {
			fields[fmt.Sprintf("field%d", i)] = used(random, shapes)
		}
		shapes = append(shapes, object(fields))
	}
	var all []any
	for i, name := range []string{"v1beta1", "v1"} {
		fields := map[string]any{}
		for i := range 3 + seed%7 {
			fields[fmt.Sprintf("use%d", i)] = used(random, shapes)
		}
		root := object(map[string]any{
			"apiVersion": map[string]any{"type": "string"}, "kind": map[string]any{"type": "string"},
			"metadata": map[string]any{"type": "object"}, "spec": object(fields), "status": used(random, shapes[:1]),
		})
		all = append(all, map[string]any{
			"name": name, "served": true, "storage": i == 1, "schema": map[string]any{"openAPIV3Schema": root},
		})
	}
	return all
}

func object(fields map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": fields}
}

// used returns one of the shapes, as a field, an item or a value.
func used(random *rand.Rand, shapes []map[string]any) map[string]any {
	shape := maps.Clone(shapes[random.IntN(len(shapes))])
	for _, keyword := range []struct {
		name   string
		values []any
	}{
		{"description", []any{nil, "the same", "the same", "another", "two\n\nparagraphs", "a: b # c"}},
		{"title", []any{nil, nil, nil, "a title"}},
		{"nullable", []any{nil, nil, nil, true}},
		{"default", []any{nil, nil, nil, map[string]any{}}},
		{"minProperties", []any{nil, nil, nil, 0}},
		{"x-kubernetes-map-type", []any{nil, nil, nil, "atomic"}},
		{"x-kubernetes-validations", []any{nil, nil, nil, []any{map[string]any{"rule": "true", "message": "always"}}}},
	} {
		if value := keyword.values[random.IntN(len(keyword.values))]; value != nil {
			shape[keyword.name] = value
		}
	}
	switch random.IntN(4) {
	case 0:
		return map[string]any{"type": "array", "items": shape}
	case 1:
		return object(map[string]any{"inner": shape})
	case 2:
		return map[string]any{"type": "object", "additionalProperties": shape}
	}
	return shape
}
