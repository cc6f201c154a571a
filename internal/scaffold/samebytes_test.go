package scaffold

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/tree"
)

// mixedNames are names that have no order for whoever compares letters with digits.
var mixedNames = []string{"p2", "p10", "p1x", "p", "p1", "p02", "P2", "P10x", "pX", "p2-1", "p2_1", "p2a10", "p2a9", "z9", "z10", "9z", "10z"}

// hostileProject is a project with such names wherever names are keys: fields, labels, annotations,
// kinds, controllers, keys of defaults.
func hostileProject() *txtar.Archive {
	files := map[string]string{
		"opgen.yaml": "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: mixed\nmodule: example.com/mixed\nclients: true\n",
	}
	for _, kind := range []string{"V1", "V2", "V10"} {
		files["api/"+strings.ToLower(kind)+".yaml"] = mixedNamesAPI(kind)
	}
	for _, name := range []string{"c2", "c10", "c1x", "c-1"} {
		files["controllers/"+name+".yaml"] = "apiVersion: opgen.dev/v1alpha1\nkind: Controller\nname: " + name +
			"\nparents:\n- {apiVersion: v1, kind: ConfigMap}\noperator:\n  children:\n  - {apiVersion: v1, kind: Secret}\n"
	}
	archive := new(txtar.Archive)
	for name, text := range files {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	return archive
}

func mixedNamesAPI(kind string) string {
	var labels, fields, values strings.Builder
	for _, name := range mixedNames {
		fmt.Fprintf(&labels, "    %s: %q\n", name, name)
		fmt.Fprintf(&fields, "      %s: string | required minLength=1\n", name)
		fmt.Fprintf(&values, "%s: 1, ", name)
	}
	return "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: " + kind + "}\n" +
		"metadata:\n  labels:\n" + labels.String() + "  annotations:\n" + labels.String() +
		"versions:\n- name: v1\n  spec:\n    properties:\n" + fields.String() +
		"      map:\n        additionalProperties: int32\n        default: {" + strings.TrimSuffix(values.String(), ", ") + "}\n" +
		"operator:\n  children:\n  - {apiVersion: v1, kind: Pod}\n  - {apiVersion: v1, kind: Service}\n" +
		"  rbac:\n  - {apiGroups: [p2.io, p10.io, p1x.io], resources: [p2, p10, p1x], verbs: [get, list]}\n"
}

// TestSameInputSameBytes writes a project, its samples, its lock and the spec files of its CRDs 50
// times each.
func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	first := map[string][]byte{}
	for i := range 50 {
		for _, f := range written(t) {
			before, found := first[f.Name]
			switch {
			case i == 0:
				first[f.Name] = f.Data
			case !found || !bytes.Equal(before, f.Data):
				t.Fatalf("%s differs in run %d:\n%s\nbefore:\n%s", f.Name, i+1, f.Data, before)
			}
		}
	}
	for _, name := range []string{tree.LockPath, "deploy/zz_generated.crd.yaml", "deploy/zz_generated.rbac.yaml", "imported/v10s.demo.example.com"} {
		if len(first[name]) == 0 {
			t.Errorf("%s was not written", name)
		}
	}
}

// written returns everything that is written for the project, and the spec files that its CRDs are
// imported as.
func written(t *testing.T) []txtar.File {
	t.Helper()
	set, err := Plan(Source{Input: inputOf(t, hostileProject())})
	if err != nil {
		t.Fatal(err)
	}
	files := yields(t, set)
	for _, f := range files {
		if f.Name != "deploy/zz_generated.crd.yaml" {
			continue
		}
		specs, problems := importer.Import(f.Name, f.Data)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, s := range specs {
			files = append(files, txtar.File{Name: "imported/" + s.Name, Data: s.Text})
		}
	}
	return files
}
