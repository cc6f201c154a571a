package crdgen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// doubling is the file of an API with types that use one another twice at each level.
func doubling(levels int) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Doubling}\ntypes:\n")
	b.WriteString("  L0: {properties: {a: string}}\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "  L%d: {properties: {a: L%d, b: L%d}}\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "versions:\n- name: v1\n  spec: {properties: {top: L%d}}\n", levels)
	return []byte(b.String())
}

func TestTypesThatDoubleAreCounted(t *testing.T) {
	const hint = "\n    use types in fewer places, or leave parts open with x-kubernetes-preserve-unknown-fields"
	const tooMuch = "the CRD has more than 3072 KiB, the most that API servers accept, once types are expanded where they are used" + hint
	for _, tc := range []struct {
		given string
		file  []byte
		want  string
	}{
		{"a few levels", doubling(8), ""},
		{"levels that make it too large", doubling(25), "a.yaml:21:3: types.L15: " + tooMuch},
		{"very many levels", doubling(2000), "a.yaml:21:3: types.L15: " + tooMuch},
		{"a type of Kubernetes in each field", podSpecs(1000), "a.yaml:4:15: names.kind: " + tooMuch},
		{"an error beside it", append(doubling(25), "scope: Nowhere\n"...),
			"a.yaml:21:3: types.L15: " + tooMuch + "\na.yaml:35:8: scope: \"Nowhere\" is not accepted\n    accepted: Namespaced, Cluster"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			if _, problems := crdgen.Parse("a.yaml", tc.file, spec.DefaultMinKubernetes); problems.Error() != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", problems.Error(), tc.want)
			}
		})
	}
}

// podSpecs is the file of an API with a large type of Kubernetes in each of its fields.
func podSpecs(fields int) []byte {
	file := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Large}\nversions:\n- name: v1\n  spec:\n    properties:\n"
	for i := range fields {
		file += fmt.Sprintf("      f%d: core/v1.PodSpec\n", i)
	}
	return []byte(file)
}
