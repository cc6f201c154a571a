package gotypes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestGoldenSchemas holds the schemas of types against what is expected of each. Those whose name does
// not say otherwise are equal to controller-gen's.
func TestGoldenSchemas(t *testing.T) {
	cases := schemaCases(t)
	read := readAll(t, cases)
	dir := moduleOf(t, cases)
	got := map[string]string{}
	for i, c := range cases {
		if len(read.problems[c.name]) > 0 {
			t.Errorf("%s: %s", c.name, textOf(read.problems[c.name]))
			continue
		}
		made, problems := crdgen.CRD(read.apis[c.name], spec.DefaultMinKubernetes)
		if len(problems) > 0 {
			t.Errorf("%s: %s", c.name, textOf(problems))
			continue
		}
		schema := made.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		text, err := yaml.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		got[c.name] = string(text)
		if strings.Contains(c.name, "unlike controller-gen") {
			continue
		}
		if diff := cmp.Diff(asObject(t, controllerGenSchema(t, dir, i)), asObject(t, schema)); diff != "" {
			t.Errorf("%s: -controller-gen +opgen:\n%s", c.name, diff)
		}
	}
	golden(t, "schemas.txtar", got)
}

// schemaCases are the Go files of testdata/schema_types.txtar.
func schemaCases(t *testing.T) (cases []typesCase) {
	for _, f := range archive(t, "schema_types.txtar").Files {
		cases = append(cases, typesCase{f.Name, string(f.Data)})
	}
	return cases
}

// moduleOf writes the types of cases to a module, each to a package of its own.
func moduleOf(t *testing.T, cases []typesCase) string {
	a := &txtar.Archive{}
	for i, c := range cases {
		a.Files = append(a.Files, txtar.File{Name: "api/" + versionName(i) + "/spec.go", Data: []byte("package " + versionName(i) + "\n\n" + c.source)})
	}
	return module(t, a)
}

// controllerGenSchema returns the schema that controller-gen makes of ThingSpec.
func controllerGenSchema(t *testing.T, dir string, i int) apiextv1.JSONSchemaProps {
	t.Helper()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir}, "./api/"+versionName(i))
	if err != nil {
		t.Fatal(err)
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		t.Fatal(err)
	}
	parser := &crd.Parser{
		Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
		AllowDangerousTypes: true, GenerateEmbeddedObjectMeta: true,
	}
	crd.AddKnownTypes(parser)
	ident := crd.TypeIdent{Package: roots[0], Name: "ThingSpec"}
	parser.NeedFlattenedSchemaFor(ident)
	for _, err := range roots[0].Errors {
		t.Error(err)
	}
	return parser.FlattenedSchemata[ident]
}

func asObject(t *testing.T, schema apiextv1.JSONSchemaProps) map[string]any {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}
