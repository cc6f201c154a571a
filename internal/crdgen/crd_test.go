package crdgen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

const echoServer = "testdata/echoserver.txtar"

// echoServerAPI returns the API of the golden file.
func echoServerAPI(t testing.TB) (*txtar.Archive, *spec.API) {
	t.Helper()
	archive, err := txtar.ParseFile(echoServer)
	if err != nil {
		t.Fatal(err)
	}
	api, problems := spec.ParseAPI(archive.Files[0].Name, archive.Files[0].Data)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return archive, api
}

// TestCRD compares the CRD of an API and its sample with the golden file.
func TestCRD(t *testing.T) {
	archive, api := echoServerAPI(t)
	crd, err := crdgen.MarshalCRD(mustCRD(t, api))
	if err != nil {
		t.Fatal(err)
	}
	sample, err := crdgen.Sample(api, "v1alpha1")
	if err != nil {
		t.Fatal(err)
	}
	got := *archive
	got.Files = []txtar.File{archive.Files[0], {Name: "crd.yaml", Data: crd}, {Name: "sample.yaml", Data: sample}}
	if *update {
		if err := os.WriteFile(echoServer, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(&got))); diff != "" {
		t.Errorf("-want +got, -update rewrites it:\n%s", diff)
	}
}

func TestSpecIsRequiredWhenOneOfItsFieldsIs(t *testing.T) {
	for properties, want := range map[string]string{
		"{a: string | required}": "spec",
		"{a: string}":            "",
		"{a: {properties: {b: {type: string}}, required: [b]}}": "", // without a there is no b to be missed
	} {
		crd := mustCRD(t, parse(t, "  spec:\n    properties: "+properties))
		if got := strings.Join(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Required, ","); got != want {
			t.Errorf("%s: required is %q, want %q", properties, got, want)
		}
	}
}

func TestMarshalCRDLeavesOutWhatTheServerWrites(t *testing.T) {
	crd := mustCRD(t, parse(t, "  spec: {properties: {a: string}}"))
	crd.Status.StoredVersions = []string{"v1"}
	text, err := crdgen.MarshalCRD(crd)
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"status:", "creationTimestamp", "storedVersions", "annotations"} {
		if strings.Contains(string(text), absent) {
			t.Errorf("there is %s in:\n%s", absent, text)
		}
	}
}

func TestMarshalCRDKeepsWhatIsEmpty(t *testing.T) {
	const file = `apiVersion: opgen.dev/v1alpha1
kind: API
metadata: {annotations: {}, labels: {}}
group: demo.example.com
names: {kind: Widget, shortNames: [], categories: []}
versions:
- name: v1
  spec:
    description: ""
    properties:
      a: {properties: {}, required: []}
      b: integer | format=""
      c: Named
      d: {default: {}, x-kubernetes-preserve-unknown-fields: true, type: object, anyOf: [{properties: {format: {pattern: ""}}, format: ""}]}
  columns: []
  selectableFields: []
types:
  Named: {items: string | title=""}
`
	api, problems := spec.ParseAPI("api/widget.yaml", []byte(file))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	text, err := crdgen.MarshalCRDOf(api, mustCRD(t, api))
	if err != nil {
		t.Fatal(err)
	}
	for _, empty := range []string{
		"annotations: {}", "labels: {}", "shortNames: []", "categories: []", "properties: {}", "required: []",
		"additionalPrinterColumns: []", "selectableFields: []",
		`description: ""`, `format: ""`, `title: ""
                  type: string`, `anyOf:
                - format: ""
                  properties:
                    format:
                      pattern: ""`,
	} {
		if !strings.Contains(string(text), empty+"\n") {
			t.Errorf("no %s in:\n%s", empty, text)
		}
	}
}

// TestMarshalCRDOfLeavesOutWhatWasTakenOut shows that a text which the API has, and the CRD no
// longer, is not empty.
func TestMarshalCRDOfLeavesOutWhatWasTakenOut(t *testing.T) {
	api := parse(t, "  spec: {properties: {a: {type: string, description: long, title: long}}}")
	crd := mustCRD(t, api)
	fields := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	a := fields["a"]
	a.Description, a.Title = "", ""
	fields["a"] = a
	text, err := crdgen.MarshalCRDOf(api, crd)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `: ""`) {
		t.Errorf("there is an empty text in:\n%s", text)
	}
}

func TestMinKubernetesMustBeAVersion(t *testing.T) {
	api := parse(t, "  spec: {properties: {a: string}}")
	if _, problems := crdgen.CRD(api, "newest"); len(problems) != 1 || !strings.Contains(problems.Error(), "minKubernetes") {
		t.Errorf("got %v", problems)
	}
}

func BenchmarkCRD(b *testing.B) {
	_, api := echoServerAPI(b)
	for b.Loop() {
		mustCRD(b, api)
	}
}

func BenchmarkSample(b *testing.B) {
	_, api := echoServerAPI(b)
	for b.Loop() {
		if _, err := crdgen.Sample(api, "v1alpha1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPackages(b *testing.B) {
	_, api := echoServerAPI(b)
	for b.Loop() {
		if _, problems := gomodel.Packages(&spec.Project{Module: "example.com/echo"}, []*spec.API{api}); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}
