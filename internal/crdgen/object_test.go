package crdgen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

func mustCRD(t testing.TB, api *spec.API) *apiextv1.CustomResourceDefinition {
	t.Helper()
	crd, problems := crdgen.CRD(api, spec.DefaultMinKubernetes)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return crd
}

func TestValidateObject(t *testing.T) {
	crd := mustCRD(t, parse(t, `
  spec:
    properties:
      name: string | required maxLength=5
      replicas: int32 | default=1 minimum=1
      mode: {type: string, enum: [Plain, Json]}
      resources: core/v1.ResourceRequirements
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, required: [name], properties: {name: {type: string}}}
    x-kubernetes-validations:
    - {rule: "self.replicas < 5 || self.mode == 'Plain'", message: "more than 5 are plain"}
  status: {}`))
	head := "apiVersion: demo.example.com/v1\nkind: EchoServer\nmetadata: {name: a}\n"
	tests := []struct {
		name, object string
		want         []string
	}{
		{"valid", head + "spec: {name: a, resources: {limits: {cpu: 100m, memory: 1Gi}}}", nil},
		{"valid JSON", `{"apiVersion":"demo.example.com/v1","kind":"EchoServer","metadata":{"name":"a"},"spec":{"name":"a"}}`, nil},
		{"everything at once", head + "spec: {replicas: 0, mode: Loud, unheardOf: x}", []string{
			"spec.mode: \"Loud\" is not supported: supported values: \"Plain\", \"Json\"",
			"spec.name: is required",
			"spec.replicas: 0 is invalid: should be greater than or equal to 1",
			"spec.unheardOf: unknown field",
		}},
		{"rule", head + "spec: {name: a, replicas: 9, mode: Json}", []string{"spec: more than 5 are plain"}},
		{"rule over a default", head + "spec: {name: a, mode: Json}", nil},
		{"no spec", head, []string{"spec: is required"}},
		{"duplicate list key", head + "spec: {name: a, ports: [{name: x}, {name: x}]}", []string{"spec.ports[1]: duplicate value"}},
		{"no name", "apiVersion: demo.example.com/v1\nkind: EchoServer\nspec: {name: a}", []string{"metadata.name: is required"}},
		{"other group", "apiVersion: example.com/v1\nkind: EchoServer", []string{`apiVersion: "example.com/v1" is not a version of group demo.example.com`}},
		{"other version", "apiVersion: demo.example.com/v2\nkind: EchoServer", []string{`apiVersion: the CRD has no version "v2"`}},
		{"other kind", "apiVersion: demo.example.com/v1\nkind: Pod", []string{"kind: Pod is not EchoServer"}},
		{"no object", "[1, 2]", []string{"the document is not an object"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, crdgen.ValidateObject(crd, []byte(tt.object))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if errs := crdgen.ValidateObject(crd, []byte("a: b: c")); len(errs) != 1 || !strings.Contains(errs[0], "yaml") {
		t.Errorf("broken YAML: %v", errs)
	}
}
