package scaffold

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var released = Tool{Version: "v0.1.0"}

// TestGoldenPlan compares every plan in testdata/golden: a txtar with the spec files and every file
// they yield. The bodies of go.sum, tools.mod, tools.sum and the JSON Schema are opgen's own, and
// left out.
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
			set, err := Plan(Source{Input: in, templates: templatesIn(archive)})
			if err != nil {
				t.Fatal(err)
			}
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
				return !isSpec(in, f.Name) && !isOwnTemplate(in.Project, f.Name)
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
			in.APIs = append(in.APIs, Parsed(api)...)
		case filepath.Dir(f.Name) == "controllers":
			var controller *spec.Controller
			controller, problems = spec.ParseController(f.Name, f.Data)
			in.Controllers = append(in.Controllers, controller)
		}
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// templatesIn returns the author's own templates of an archive.
func templatesIn(archive *txtar.Archive) []usertemplates.Folder {
	source := usertemplates.Folder{Name: "templates", Files: map[string][]byte{}}
	for _, f := range archive.Files {
		if name, found := strings.CutPrefix(f.Name, source.Name+"/"); found {
			source.Files[name] = f.Data
		}
	}
	return []usertemplates.Folder{source}
}

// isSpec reports whether a file is one of those that the input was parsed from.
func isSpec(in Input, file string) bool {
	return file == in.Project.File || slices.ContainsFunc(in.APIs, func(api API) bool { return api.File == file }) ||
		slices.ContainsFunc(in.Controllers, func(c *spec.Controller) bool { return c.File == file })
}

// yields are the files of a set as they are written into an empty tree, opgen.lock included.
func yields(t *testing.T, set *Planned) []txtar.File {
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
	first, err := Plan(Source{Input: inputOf(t, archive)})
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, archive)
	slices.Reverse(in.APIs)
	again, err := Plan(Source{Input: in})
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

func TestPlanReportsEveryErrorInOperators(t *testing.T) {
	const project = "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: p\nmodule: example.com/p\ndomain: example.com\n"
	tests := map[string]struct {
		project, operator string
		want              []string // nothing: it is right
	}{
		"kinds that nobody has": {project, `
  children:
  - {apiVersion: v1, kind: Pod}
  - {apiVersion: apps/v1, kind: Deploymnt}
  - {apiVersion: apps/v2, kind: Deployment}
  related:
  - apiVersion: v1
    kind: Sekret
`, []string{
			`api/echo.yaml:10:33: operator.children[1].kind: Kubernetes has no kind "Deploymnt" in apps/v1`,
			`did you mean "Deployment"?`,
			`operator.children[2].kind: Kubernetes has no kind "Deployment" in apps/v2`,
			`api/echo.yaml:14:11: operator.related[0].kind: Kubernetes has no kind "Sekret" in v1`,
		}},
		"a cluster-scoped child of a namespaced parent": {project, `
  children: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}]
`, nil},
		"what one namespace does not show": {project + "watch: namespace\n", `
  children: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}]
  related:
  - {apiVersion: v1, kind: Namespace}
  - {apiVersion: v1, kind: Secret, namespaces: All}
  - {apiVersion: v1, kind: ConfigMap, namespaces: Parent}
  - {apiVersion: v1, kind: Pod, namespaces: .spec.namespace}
`, []string{
			`operator.children[0].kind: ClusterRole is cluster-scoped, and an operator with watch: namespace has no rights to it`,
			`operator.related[0].kind: Namespace is cluster-scoped, and`,
			`operator.related[1].namespaces: an operator with watch: namespace sees no other`,
			`operator.related[3].namespaces: an operator with watch: namespace sees no other`,
		}},
		"what a child controls in other namespaces": {project + "watch: namespace\n", `
  children:
  - {apiVersion: apps/v1, kind: Deployment, namespaces: [infra]}
  - {apiVersion: apps/v1, kind: StatefulSet}
  related:
  - {apiVersion: v1, kind: Pod, ofChild: StatefulSets, selector: app=web}
  - {apiVersion: v1, kind: Pod, as: Others, ofChild: Deployments, selector: app=web}
`, []string{
			`api/echo.yaml:13:54: operator.related[1].ofChild: an operator with watch: namespace sees no other, and the entry of the child lists some`,
			`write watch: cluster in opgen.yaml, or leave namespaces out there`,
		}},
		"what a child in a listed namespace controls": {project, `
  children: [{apiVersion: apps/v1, kind: Deployment, namespaces: [infra]}]
  related: [{apiVersion: v1, kind: Pod, ofChild: Deployments, selector: app=web}]
`, nil},
		"what a CronJob does not control": {project, `
  children: [{apiVersion: batch/v1, kind: CronJob}]
  related:
  - {apiVersion: batch/v1, kind: Job, ofChild: CronJobs, selector: app=web}
  - {apiVersion: v1, kind: Pod, ofChild: CronJobs, selector: app=web}
`, []string{
			`api/echo.yaml:11:42: operator.related[1].ofChild: a CronJob controls Jobs, and these control their Pods`,
			`write kind: Job`,
		}},
		"namespaces of what lies in none": {project, `
  related:
  - {apiVersion: v1, kind: Namespace, namespaces: [a]}
  - {apiVersion: v1, kind: Node, namespaces: All}
  - {apiVersion: example.org/v1, kind: Widget, plural: widgets, scope: Cluster, namespaces: .spec.namespace}
`, []string{
			`operator.related[0].namespaces: Namespace is cluster-scoped`,
			`operator.related[1].namespaces: Node is cluster-scoped`,
			`operator.related[2].namespaces: Widget is cluster-scoped`,
		}},
		"what the parent and the children do not have": {project, `
  children:
  - {apiVersion: v1, kind: Pod, readyWhen: "self.status.fase == 'Running'"}
  - {apiVersion: demo.example.com/v1, kind: Other, readyWhen: "self.spec.size > 1 && self.spec.sise > 1"}
  - {apiVersion: example.org/v1, kind: Widget, plural: widgets, scope: Cluster, readyWhen: "self.status.anything"}
  related:
  - {apiVersion: v1, kind: ConfigMap, nameFrom: .spec.names}
`, []string{
			`api/echo.yaml:9:57: operator.children[0].readyWhen: there is no "fase"`,
			`api/echo.yaml:10:96: operator.children[1].readyWhen: there is no "sise"`,
			`api/echo.yaml:13:49: operator.related[0].nameFrom: .spec.names leads to no field of Echo`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Echo}\n" +
				"versions: [{name: v1, spec: {properties: {namespace: string}}}]\noperator:\n  retries: 5" + test.operator
			other := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Other}\n" +
				"versions: [{name: v1, spec: {properties: {size: int32}}}]\n"
			_, err := Plan(Source{Input: inputOf(t, &txtar.Archive{Files: []txtar.File{
				{Name: "opgen.yaml", Data: []byte(test.project)},
				{Name: "api/echo.yaml", Data: []byte(api)}, {Name: "api/other.yaml", Data: []byte(other)},
			}})})
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var got spec.Problems
			if !errors.As(err, &got) || len(got) != strings.Count(strings.Join(test.want, ""), ": operator.")+strings.Count("\n"+strings.Join(test.want, "\n"), "\noperator.") {
				t.Fatalf("%d problems:\n%v", len(got), err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in:\n%v", want, err)
				}
			}
		})
	}
}

func TestTwoOperatorsHaveNoMetricOfOneName(t *testing.T) {
	archive := txtar.Parse([]byte(`-- opgen.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Project
name: p
module: example.com/p
domain: example.com
-- api/echo.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: EchoServer}
versions:
- name: v1
  status: {properties: {orders: int32}}
operator:
  metrics: [{name: shop_orders, path: .status.orders, help: Orders.}]
-- api/shop.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Shop}
versions:
- name: v1
  status: {properties: {orders: int32}}
operator:
  metrics:
  - {name: shop_sales, path: .status.orders, help: Sales.}
  - {name: shop_orders, path: .status.orders, help: Orders.}
`))
	_, err := Plan(Source{Input: inputOf(t, archive)})
	const want = "api/shop.yaml:11:12: operator.metrics[1].name: shop_orders is a metric of EchoServer, too\n    begin its name with the kind"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("no %q in:\n%v", want, err)
	}
}

func TestOperatorTakesNothingOverFromItself(t *testing.T) {
	archive := txtar.Parse([]byte(`-- opgen.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Project
name: shop-operator
module: example.com/shop-operator
domain: example.com
-- api/shop.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Shop}
versions:
- name: v1
operator:
  takeOverFrom: [shop-manager, opgen/shop.demo.example.com]
-- controllers/pods.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Controller
name: pods
parents: [{apiVersion: v1, kind: Pod}]
operator:
  takeOverFrom: [opgen/pods.pods.example.com]
`))
	_, err := Plan(Source{Input: inputOf(t, archive)})
	for _, want := range []string{
		"api/shop.yaml:8:32: operator.takeOverFrom[1]: opgen/shop.demo.example.com is the field manager of this operator",
		"controllers/pods.yaml:6:18: operator.takeOverFrom[0]: opgen/pods.pods.example.com is the field manager of this operator",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}
