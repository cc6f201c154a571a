package crdgen_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// parse returns an API of one version with the given lines as its spec and status.
func parse(t testing.TB, body string) *spec.API {
	t.Helper()
	text := `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: EchoServer}
scope: Namespaced
versions:
- name: v1
` + strings.Trim(body, "\n") + "\n"
	api, problems := spec.ParseAPI("api.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return api
}

func TestSample(t *testing.T) {
	tests := []struct{ name, properties, want string }{
		{"required and simple optional fields", `
      name: string | required
      count: int32 | minimum=3
      on: bool
      tags: "[]string"
      resources: core/v1.ResourceRequirements
      nested: {properties: {a: {type: string}}}`, `
  count: 3
  name: example
  tags:
  - example
  # "on": false
  # resources: {}
  # nested:
  #   a: example`},
		{"booleans are off unless the schema says otherwise or a rule needs them", `
      purge: bool
      skip: bool | required
      shown: bool | default=true
      keep: {type: boolean, example: true}
      a: bool
      b: bool
      c: bool
      accept: bool | required
      flags: "[]bool"
      nested: {properties: {wipe: bool, quiet: bool | required}, required: [quiet]}
    x-kubernetes-validations:
    - {rule: self.accept, message: accept the licence}
    - {rule: "has(self.a)", message: say a}
    - {rule: "has(self.b) && self.b", message: b is needed}
    required: [nested]`, `
  a: false
  accept: true
  b: true
  flags:
  - false
  keep: true
  nested:
    quiet: false
  shown: true
  skip: false
  # purge: false
  # c: false`},
		{"optional fields only, none of them simple", `
      tls: {properties: {secret: string, versions: {items: {properties: {min: "string | default=x", max: string | required}}}}}
      labels: map[string]string
      env: "[]core/v1.EnvVar"`, ` {}
# spec:
#   tls:
#     secret: example
#     versions:
#     - max: example
#       min: x
#   labels:
#     key: example
#   env:
#   - name: example`},
		{"defaults and enums", `
      a: string | default=b
      mode: {type: string, enum: [Plain, Json]}
      modes: {type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string, enum: [x, y]}}`, `
  a: b
  mode: Plain
  modes:
  - x
  - "y"`},
		{"limits", `
      short: string | maxLength=3
      long: string | minLength=10
      even: {type: integer, multipleOf: 2, minimum: 3}
      small: {type: number, minimum: 0, maximum: 0.5, exclusiveMaximum: true, multipleOf: 0.25}
      negative: int32 | maximum=-5`, `
  even: 4
  long: exampleeee
  negative: -5
  short: exa
  small: 0.25`},
		{"patterns", `
      version: {type: string, pattern: '^v[0-9]+\.[0-9]+$'}
      host: {type: string, pattern: '^([a-z]+\.)+(com|org)$'}
      code: {type: string, pattern: '^[A-Z]{3}-\d{4}$'}
      digits: {type: string, pattern: '^[0-9]*$', minLength: 4}`, `
  code: AAA-1111
  digits: "1111"
  host: example.com
  version: v1.1`},
		{"types of Kubernetes", `
      since: time | required
      every: duration | required
      size: quantity | required
      port: {type: intstr.IntOrString}
      ref: core/v1.SecretKeySelector | required`, `
  every: 1m0s
  port: 1
  ref:
    key: example
    name: example
  since: "2026-01-01T00:00:00Z"
  size: 1Gi`},
		{"lists with keys", `
      ports:
        type: array
        minItems: 2
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, required: [name, port], properties: {name: {type: string}, port: {type: integer}}}
    required: [ports]`, `
  ports:
  - name: example
    port: 1
  - name: example-2
    port: 1`},
		{"a rule that forbids an option", `
      a: string
      b: string
    x-kubernetes-validations: [{rule: "!has(self.a) || !has(self.b)"}]`, `
  a: example
  # b: example`},
		{"a rule that demands an option", `
      a: string
      b: string
    x-kubernetes-validations: [{rule: "has(self.b) && !has(self.a)"}]`, `
  b: example
  # a: example`},
		{"a rule that demands two options", `
      a: string
      b: string
    x-kubernetes-validations: [{rule: "has(self.a) && has(self.b)"}]`, `
  a: example
  b: example`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := parse(t, "  spec:\n    properties:"+tt.properties)
			crd := mustCRD(t, api)
			got, err := crdgen.Sample(api, "v1")
			if err != nil {
				t.Fatal(err)
			}
			want := "apiVersion: demo.example.com/v1\nkind: EchoServer\nmetadata:\n  name: echoserver-sample\nspec:" + tt.want + "\n"
			if string(got) != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if errs := crdgen.ValidateObject(crd, got); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

func TestSampleSaysWhatStandsAgainstIt(t *testing.T) {
	api := parse(t, `
  spec:
    properties:
      a: int32 | required
      b: int32 | required
    x-kubernetes-validations:
    - {rule: self.a + self.b == 7}`)
	want := `# Complete this object: opgen could not find a value for every field.
#   spec: failed rule: self.a + self.b == 7
apiVersion: demo.example.com/v1
kind: EchoServer
metadata:
  name: echoserver-sample
spec:
  a: 1
  b: 1
`
	got, err := crdgen.Sample(api, "v1")
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestSampleNeedsAVersion(t *testing.T) {
	if _, err := crdgen.Sample(parse(t, ""), "v2"); err == nil {
		t.Error("a version that does not exist has a sample")
	}
}

// TestSampleOfEveryConstruct makes samples of the APIs that the Go types are tested with.
func TestSampleOfEveryConstruct(t *testing.T) {
	paths, err := filepath.Glob("../templates/testdata/goapi/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "api.yaml" {
				continue
			}
			api, problems := spec.ParseAPI(f.Name, f.Data)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			crd := mustCRD(t, api)
			for _, v := range api.Versions {
				name := fmt.Sprint(filepath.Base(path), " ", v.Name)
				sample, err := crdgen.Sample(api, v.Name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if errs := crdgen.ValidateObject(crd, sample); len(errs) > 0 {
					t.Errorf("%s: %v\n%s", name, errs, sample)
				}
				whole := strings.ReplaceAll(strings.ReplaceAll(string(sample), "\n  # ", "\n  "), "spec: {}\n# spec:\n", "spec:\n")
				for _, err := range crdgen.ValidateObject(crd, []byte(strings.ReplaceAll(whole, "\n#   ", "\n  "))) {
					if strings.Contains(err, "unknown field") || strings.Contains(err, "yaml") {
						t.Errorf("%s, with all fields: %v\n%s", name, err, whole)
					}
				}
			}
		}
	}
}
