package crdgen_test

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestUnsatisfiableIsAccepted shows that a file can accept schemas that no value satisfies.
func TestUnsatisfiableIsAccepted(t *testing.T) {
	const api = `apiVersion: opgen.dev/v1alpha1
kind: API
%group: demo.example.com
names: {kind: Echo}
versions:
- name: v1
  spec: {properties: {a: {type: string, enum: [x, x], minLength: 2, maxLength: 1}}}
`
	for given, want := range map[string]int{"": 2, "acceptWarnings: [unsatisfiable]\n": 0} {
		parsed, problems := spec.ParseAPI("api.yaml", []byte(strings.Replace(api, "%", given, 1)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if _, problems := crdgen.CRD(parsed, spec.DefaultMinKubernetes); len(problems) != want {
			t.Errorf("with %q: %v", given, problems)
		}
	}
}
