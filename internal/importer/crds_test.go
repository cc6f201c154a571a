package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/importer"
)

// smallCRD is a CRD of a kind in one line.
func smallCRD(kind string) string {
	return fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %ss.example.com}, "+
		"spec: {group: example.com, scope: Namespaced, names: {kind: %s, plural: %ss}, versions: [{name: v1, served: yes, storage: true}]}}\n", kind, kind, kind)
}

func TestCRDs(t *testing.T) {
	for _, c := range []struct{ name, text, expected string }{
		{"one", smallCRD("a"), "a at x.yaml:1:1"},
		{"several, beside other kinds", "# nothing\n---\n" + smallCRD("a") + "---\nkind: Kustomization\n---\n" + smallCRD("b"), "a at x.yaml:3:1\nb at x.yaml:7:1"},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- " + smallCRD("a") + "- " + smallCRD("b"), "a at x.yaml:4:3\nb at x.yaml:5:3"},
		{"nothing", "", ""},
		{"text", "hello", ""},
		{"other kinds", "kind: ConfigMap", ""},
		{"no YAML", "a: 1\nb: [\nc: 2", "x.yaml:3:1: is not YAML: did not find expected ',' or ']'"},
		{"an old version", "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition", `x.yaml:1:1: is a CustomResourceDefinition of "apiextensions.k8s.io/v1beta1"
    convert it to apiextensions.k8s.io/v1, the only version that Kubernetes still serves`},
		{"a patch of one", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {conversion: {strategy: None}}",
			"x.yaml:1:1: spec.group: is missing in a CustomResourceDefinition\nx.yaml:1:1: spec.names.kind: is missing in a CustomResourceDefinition\nx.yaml:1:1: spec.names.plural: is missing in a CustomResourceDefinition"},
		{"a value of another type", strings.Replace(smallCRD("a"), "served: yes", "served: 5", 1),
			"x.yaml:1:1: cannot be read as a CustomResourceDefinition: json: cannot unmarshal number into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type bool"},
		{"a key twice", strings.Replace(smallCRD("a"), "served: yes", "served: true, served: true", 1), "x.yaml:1:217: served: the key is there twice\n    remove one of them: readers of YAML take the first, the last, or none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crds, problems := importer.CRDs("x.yaml", []byte(c.text))
			var got []string
			for _, crd := range crds {
				got = append(got, fmt.Sprintf("%s at %v", crd.Object.Spec.Names.Kind, crd.Pos))
			}
			for _, p := range problems {
				got = append(got, p.String())
			}
			if text := strings.Join(got, "\n"); text != c.expected {
				t.Errorf("%s\nexpected\n%s", text, c.expected)
			}
		})
	}
}

// FuzzCRDs reads whatever is there: it returns CRDs that have a kind and a schema to compare, or
// says what is wrong.
func FuzzCRDs(f *testing.F) {
	f.Add(smallCRD("a"))
	f.Add("apiVersion: v1\nkind: List\nitems:\n- " + smallCRD("a"))
	f.Add("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: &a {group: *a}")
	f.Add("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: a, names: {kind: .nan, plural: 1}, x: {1: 0x10, ~: .inf}}")
	f.Fuzz(func(t *testing.T, text string) {
		crds, problems := importer.CRDs("x.yaml", []byte(text))
		if len(crds) > 0 && len(problems) > 0 {
			t.Error("CRDs and problems")
		}
		for _, crd := range crds {
			if crd.Object.Spec.Group == "" || crd.Object.Spec.Names.Kind == "" {
				t.Errorf("a CRD without a kind: %+v", crd.Object.Spec)
			}
		}
		for _, p := range problems {
			if p.Message == "" || p.Pos.File == "" {
				t.Errorf("a problem that says nothing: %+v", p)
			}
		}
	})
}
