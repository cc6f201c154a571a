package scaffold

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

var released = Tool{Version: "v0.1.0"}

// TestGoldenPlan compares every plan in testdata/golden: a txtar with the spec files and every file they yield. The
// bodies of go.sum, tools.mod, tools.sum and the JSON Schema are opgen's own, and left out.
func TestGoldenPlan(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/golden/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := inputOf(t, archive)
			set, err := Plan(in)
			if err != nil {
				t.Fatal(err)
			}
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
				return !isSpec(in, f.Name)
			})
			archive.Files = append(archive.Files, yields(t, set)...)
			got := txtar.Format(archive)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the plan has changed; if it is meant to, run make golden (-want +got):\n%s", diff)
			}
		})
	}
}

// inputOf parses the spec files of an archive.
func inputOf(t *testing.T, archive *txtar.Archive) Input {
	t.Helper()
	in := Input{Tool: released}
	for _, f := range archive.Files {
		var problems spec.Problems
		switch {
		case f.Name == "opgen.yaml":
			in.Project, problems = spec.ParseProject(f.Name, f.Data)
		case filepath.Dir(f.Name) == "api":
			var api *spec.API
			api, problems = spec.ParseAPI(f.Name, f.Data)
			in.APIs = append(in.APIs, api)
		}
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// isSpec reports whether a file is one of those that the input was parsed from.
func isSpec(in Input, file string) bool {
	return file == in.Project.File || slices.ContainsFunc(in.APIs, func(api *spec.API) bool { return api.File == file })
}

// yields are the files of a set as they are written into an empty tree, opgen.lock included.
func yields(t *testing.T, set *FileSet) []txtar.File {
	t.Helper()
	changes, err := set.Diff(os.DirFS(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	for _, c := range changes.List() {
		content := c.New
		if slices.Contains([]string{"go.sum", "tools.mod", "tools.sum", "zz_generated.spec.schema.json"}, c.Path) {
			content = []byte("(left out)\n")
		}
		files = append(files, txtar.File{Name: c.Path, Data: content})
	}
	return files
}

func TestPlanIsTheSameInAnyOrderOfTheAPIs(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/golden/many-kinds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	first, err := Plan(inputOf(t, archive))
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, archive)
	slices.Reverse(in.APIs)
	again, err := Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range again.Files() {
		got, err := f.Rendered()
		want, errBefore := first.Files()[i].Rendered()
		if err != nil || errBefore != nil {
			t.Fatal(err, errBefore)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from one order to the other", f.Path)
		}
	}
}

func TestPlanReportsEveryMistakeAboutChildren(t *testing.T) {
	const project = "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: p\nmodule: example.com/p\ndomain: example.com\n"
	const api = `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Echo}
versions: [{name: v1}]
operator:
  children:
  - {apiVersion: v1, kind: Pod}
  - {apiVersion: apps/v1, kind: Deploymnt}
  - {apiVersion: apps/v2, kind: Deployment}
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
`
	in := inputOf(t, &txtar.Archive{Files: []txtar.File{
		{Name: "opgen.yaml", Data: []byte(project)}, {Name: "api/echo.yaml", Data: []byte(api)},
	}})
	_, err := Plan(in)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`operator.children[1].kind: Kubernetes has no kind "Deploymnt" in apps/v1`,
		`did you mean "Deployment"?`,
		`operator.children[2].kind: Kubernetes has no kind "Deployment" in apps/v2`,
		`operator.children[3].kind: ClusterRole lies in no namespace`,
		`api/echo.yaml:12:`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}
