package clientgen

import (
	"errors"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Kinds whose clients would declare the same are refused; of the others, each gives files that
// compile.
func TestKindsWhoseClientsClash(t *testing.T) {
	for _, tc := range []struct{ kinds, want string }{
		{"Part Whole", ""},
		{"Part NewPart", "a.yaml:4:15: names.kind: the typed clients of Part and those of NewPart would both declare newParts"},
		{"Part PartNamespace", "b.yaml:4:15: names.kind: the typed clients of PartNamespace and those of Part would both declare PartNamespaceLister"},
		{"Part ExtractPart", "a.yaml:4:15: names.kind: the typed clients of Part and those of ExtractPart would both declare ExtractPart"},
		{"Part FilteredPart", "a.yaml:4:15: names.kind: the typed clients of Part and those of FilteredPart would both declare NewFilteredPartInformer"},
	} {
		t.Run(tc.kinds, func(t *testing.T) {
			_, err := clientsOf(t, strings.Fields(tc.kinds)...)
			var problems spec.Problems
			if err != nil && !errors.As(err, &problems) {
				t.Fatal(err)
			}
			if got, _, _ := strings.Cut(problems.Error(), "\n"); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestFilesAreReadOnEveryPlatform(t *testing.T) {
	files, err := clientsOf(t, "Test", "Windows", "Arm64", "Solaris", "Unix")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range files {
		got[f.Path] = true
	}
	for _, want := range []string{"test_kind", "windows_kind", "arm64_kind", "solaris_kind", "unix"} {
		if file := "client/clientset/versioned/typed/demo/v1/fake/fake_" + want + ".go"; !got[file] {
			t.Errorf("no %s", file)
		}
	}
}

// clientsOf generates the typed clients of kinds of one group version.
func clientsOf(t *testing.T, kinds ...string) ([]File, error) {
	t.Helper()
	project, problems := spec.ParseProject("opgen.yaml", []byte("apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: op\nmodule: example.com/op\ndomain: example.com\nclients: true\n"))
	var apis []*spec.API
	var crds []*apiextv1.CustomResourceDefinition
	for i, kind := range kinds {
		file := string(rune('a'+i)) + ".yaml"
		api, found := crdgen.Parse(file, []byte("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: "+kind+"}\nversions: [{name: v1, spec: {properties: {a: string}}}]\n"), project.MinKubernetes)
		if problems = append(problems, found...); len(found) > 0 {
			continue
		}
		crd, found := crdgen.CRD(api, project.MinKubernetes)
		problems = append(problems, found...)
		apis, crds = append(apis, api), append(crds, crd)
	}
	packages, found := gomodel.Packages(project, apis)
	if err := append(problems, found...).Err(); err != nil {
		t.Fatal(err)
	}
	return Files(project.Module, packages, crds, nil)
}
