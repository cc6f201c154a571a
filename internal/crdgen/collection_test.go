package crdgen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// A list or map that a mapping names as its type is the one of the shorthand.
func TestCollectionsAreThoseOfTheShorthand(t *testing.T) {
	const head = "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Echo}\nversions:\n- name: v1\n  spec:\n    properties:\n"
	tests := map[string]struct{ mapping, shorthand string }{
		"a list of a Kubernetes type": {`{type: "[]core/v1.EnvVar", maxItems: 100}`, `"[]core/v1.EnvVar | maxItems=100"`},
		"a map of lists":              {`{type: "map[string][]int32", maxProperties: 3}`, `map[string][]int32 | maxProperties=3`},
		"durations":                   {`{type: "[]duration"}`, `"[]duration"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			crd := func(field string) string {
				api, problems := crdgen.Parse("a.yaml", []byte(head+"      field: "+field+"\n"), spec.DefaultMinKubernetes)
				if err := problems.Err(); err != nil {
					t.Fatal(err)
				}
				made, problems := crdgen.CRD(api, spec.DefaultMinKubernetes)
				if err := problems.Err(); err != nil {
					t.Fatal(err)
				}
				text, err := crdgen.MarshalCRD(made)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			if diff := cmp.Diff(crd(test.shorthand), crd(test.mapping)); diff != "" {
				t.Errorf("(-shorthand +mapping):\n%s", diff)
			}
		})
	}
}
