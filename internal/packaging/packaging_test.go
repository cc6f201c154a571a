package packaging

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

const manager = `apiVersion: apps/v1
kind: Deployment
metadata: {name: op-controller-manager, namespace: op-system}
spec:
  replicas: 1
  template:
    spec:
      serviceAccountName: op
      containers: [{name: manager, image: "op:latest"}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: op-system}
---
apiVersion: v1
kind: Namespace
metadata: {name: op-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: op}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: op}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: op}
subjects: [{kind: ServiceAccount, name: op, namespace: op-system}]
`

// component is a component that adds one ConfigMap.
const component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [more.yaml]\n"

// readProject writes a project and reads it for packaging: its files are those of an operator, and more.
func readProject(t *testing.T, p spec.Package, more map[string]string) (*Operator, error) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "[a-b]") // a path that is no pattern
	files := map[string]string{"deploy/kustomization.yaml": "resources: [manager.yaml]\n", "deploy/manager.yaml": manager}
	for name, text := range more {
		files[name] += text
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	project := &spec.Project{Name: "op", MinKubernetes: "1.33", Package: p}
	o, err := Read(root, filepath.Join(root, "deploy"), project, Release{Version: "1.2.0", Image: "example.com/op:v1.2.0"})
	if err != nil {
		return nil, err
	}
	return o, o.ReadParts()
}

// withComponents are the files of components with these names, each with an object of its own.
func withComponents(names ...string) map[string]string {
	files := map[string]string{}
	for _, name := range names {
		dir := path.Join("deploy/components", name)
		files[dir+"/kustomization.yaml"] = component
		files[dir+"/more.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + strings.ToLower(strings.Trim(name, "_-")) + "}\n"
	}
	return files
}

// chartOf returns the files of a chart, whose templates it parses as Helm does.
func chartOf(t *testing.T, p spec.Package, more map[string]string) (map[string]string, error) {
	t.Helper()
	o, err := readProject(t, p, more)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Chart(o)
	made := map[string]string{}
	for _, f := range files {
		name := strings.TrimPrefix(f.Path, ChartDir+"/")
		made[name] = string(f.Content)
		if !strings.HasPrefix(name, "templates/") {
			continue
		}
		functions := sprig.TxtFuncMap()
		functions["include"], functions["toYaml"] = func(string, any) string { return "" }, func(any) string { return "" }
		if _, err := template.New("").Funcs(functions).Parse(string(f.Content)); err != nil {
			t.Errorf("%s is no template: %v", f.Path, err)
		}
	}
	return made, err
}

func TestChartChecksTheNamesOfComponents(t *testing.T) {
	if made, err := chartOf(t, spec.Package{}, withComponents("network-policies", "a1", "more-of-2")); err != nil || !strings.Contains(made["values.yaml"], "moreOf2:") {
		t.Errorf("error %v, values %s", err, made["values.yaml"])
	}
	bad := []string{"my--comp", "foo-", "-x", "v1.2", "9x", "Upper", "with space", "a_b", "_helper", "b`c", "ä"}
	taken := []string{"env", "image", "crds", "replicas", "global", "service-account", "pod-labels", "rbac", "manager", "webhooks", "more"}
	_, err := chartOf(t, spec.Package{}, withComponents(append(append([]string{"fine", "twin-1", "twin1"}, bad...), taken...)...))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range append(append([]string{"twin1"}, bad...), taken...) {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "fine") {
		t.Errorf("the error names a good one: %v", err)
	}
}

// What opgen.yaml and the objects say is text in a chart, and no action of Helm.
func TestChartExecutesNothingOfTheProject(t *testing.T) {
	const action = `{{ fail "executed" }}`
	made, err := chartOf(t, spec.Package{DisplayName: "Op " + action, Description: action, Provider: action, Keywords: []string{action}}, map[string]string{
		"deploy/kustomization.yaml": "patches: [{path: patch.yaml}]\n",
		"deploy/patch.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: op-controller-manager, namespace: op-system, annotations: {note: 'a {{ fail "executed" }} b'}}
spec:
  template:
    spec:
      containers: [{name: manager, imagePullPolicy: '{{ fail "executed" }}', resources: {limits: {memory: '` + "`" + `}}{{ fail "executed" }}'}}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: op-system, labels: {pod-security.kubernetes.io/enforce: '{{ fail "executed" }}'}}
`,
	})
	if err != nil {
		t.Fatal(err)
	}
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(any) string { return "" }
	chart := template.New("").Funcs(functions)
	functions["include"] = func(name string, dot any) (string, error) {
		var out strings.Builder
		err := chart.ExecuteTemplate(&out, name, dot)
		return out.String(), err
	}
	chart.Funcs(functions)
	for name, text := range made {
		if strings.HasPrefix(name, "templates/") {
			template.Must(chart.New(name).Parse(text))
		}
	}
	values := map[string]any{"Values": map[string]any{}, "Release": map[string]any{"Namespace": "prod", "Name": "mine", "Service": "Helm"},
		"Chart": map[string]any{"Name": "op", "Version": "1.2.0", "AppVersion": "v1"}}
	for name := range made {
		if !strings.HasPrefix(name, "templates/") {
			continue
		}
		if err := chart.ExecuteTemplate(new(strings.Builder), name, values); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var notes strings.Builder
	if err := chart.ExecuteTemplate(&notes, "templates/NOTES.txt", values); err != nil || !strings.HasPrefix(notes.String(), "Op "+action+" v1 runs") {
		t.Errorf("error %v, notes %q", err, notes.String())
	}
}

func TestChartRefusesItsOwnWords(t *testing.T) {
	for _, word := range []string{namespaceWord, blockWord + "args"} {
		_, err := chartOf(t, spec.Package{}, map[string]string{
			"deploy/manager.yaml": "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: op-system}\ndata:\n  a: |\n    " + word + "\n",
		})
		if err == nil || !strings.Contains(err.Error(), "ConfigMap c contains") {
			t.Errorf("%s: error %v", word, err)
		}
	}
}

func TestChartKeepsOtherNamespaces(t *testing.T) {
	made, err := chartOf(t, spec.Package{}, map[string]string{"deploy/manager.yaml": "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: second}\n"})
	if err != nil || !strings.Contains(made["templates/more.yaml"], "name: second") {
		t.Errorf("error %v, more.yaml %q", err, made["templates/more.yaml"])
	}
}

// A component that removes an object is none that adds objects alone.
func TestPartsChangeNothing(t *testing.T) {
	files := withComponents("removes", "adds")
	files["deploy/components/removes/kustomization.yaml"] += "patches: [{patch: '{$patch: delete, apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: op}}'}]\n"
	files["deploy/components/other/kustomization.yml"] = component
	files["deploy/components/other/more.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
	o, err := readProject(t, spec.Package{}, files)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, part := range o.Parts {
		names = append(names, part.Name)
	}
	if strings.Join(names, " ") != "adds other" {
		t.Errorf("parts %q", names)
	}
}

// A folder whose path is a pattern is read as any other.
func TestReadAnyFolder(t *testing.T) {
	files := withComponents("adds")
	files["deploy/samples/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	o, err := readProject(t, spec.Package{}, files)
	if err != nil || len(o.Parts) != 1 || len(o.Samples) != 1 {
		t.Errorf("error %v, operator %+v", err, o)
	}
}
