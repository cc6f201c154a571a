package packages

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/opgen-dev/opgen/internal/packaging"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

const exampleImage = "registry.example.com/operators/example:v1.2.0"

// examples are the folders of the examples.
func examples(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("../../examples/*/opgen.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for i, file := range folders {
		folders[i] = filepath.Dir(file)
	}
	return folders
}

// read returns the operator of a project, as opgen package reads it.
func read(t *testing.T, root, image string) *packaging.Operator {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.ReadProjectFile(root)
	if err != nil {
		t.Fatal(err)
	}
	o, err := packaging.Read(root, filepath.Join(root, "deploy"), p, packaging.Release{Version: "1.2.0", Image: image})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.ReadParts(); err != nil {
		t.Fatal(err)
	}
	return o
}

// write writes the files of a package, and returns the folder.
func write(t *testing.T, files []tree.File, folder string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(folder))
}

// load has Helm load the chart of an operator.
func load(t *testing.T, o *packaging.Operator) (loaded *chart.Chart, dir string) {
	t.Helper()
	files, err := packaging.Chart(o)
	if err != nil {
		t.Fatal(err)
	}
	dir = write(t, files, packaging.ChartDir)
	any, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return any.(*chart.Chart), dir
}

// render renders a chart as Helm does, in the namespace prod. It returns the objects by their kinds and names.
func render(t *testing.T, c *chart.Chart, values map[string]any) map[string]*packaging.Object {
	t.Helper()
	objects := renderRaw(t, c, values)
	for _, object := range objects {
		normalize(t, object)
	}
	return objects
}

// renderRaw renders a chart as Helm does, and leaves in the objects what the chart adds.
func renderRaw(t *testing.T, c *chart.Chart, values map[string]any) map[string]*packaging.Object {
	t.Helper()
	coalesced, err := util.ToRenderValues(c, values, common.ReleaseOptions{Name: "mine", Namespace: "prod", IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	return renderedRaw(t, c, coalesced)
}

func rendered(t *testing.T, c *chart.Chart, values common.Values) map[string]*packaging.Object {
	t.Helper()
	objects := renderedRaw(t, c, values)
	for _, object := range objects {
		normalize(t, object)
	}
	return objects
}

// renderedRaw reads what Helm renders strictly: a key that is there twice is an error.
func renderedRaw(t *testing.T, c *chart.Chart, values common.Values) map[string]*packaging.Object {
	t.Helper()
	files, err := engine.Render(c, values)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]*packaging.Object{}
	for name, text := range files {
		if filepath.Ext(name) != ".yaml" {
			continue
		}
		for document := range strings.SplitSeq("\n"+text, "\n---\n") {
			object := &unstructured.Unstructured{}
			if err := yaml.UnmarshalStrict([]byte(document), &object.Object); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			if len(object.Object) > 0 {
				objects[object.GetKind()+" "+object.GetName()] = object
			}
		}
	}
	return objects
}

// normalize removes what a chart adds to every object.
func normalize(t *testing.T, object *packaging.Object) *packaging.Object {
	t.Helper()
	data, err := object.MarshalJSON() // numbers as in all others
	if err != nil {
		t.Fatal(err)
	}
	if err := object.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	labels := object.GetLabels()
	for _, label := range []string{"app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart"} {
		delete(labels, label)
	}
	if object.SetLabels(labels); len(labels) == 0 {
		unstructured.RemoveNestedField(object.Object, "metadata", "labels")
	}
	annotations := object.GetAnnotations()
	delete(annotations, "helm.sh/resource-policy")
	if object.SetAnnotations(annotations); len(annotations) == 0 {
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations")
	}
	return object
}

// expected returns the objects of a project as a chart makes them in the namespace prod.
func expected(t *testing.T, o *packaging.Operator, objects []*packaging.Object) map[string]*packaging.Object {
	t.Helper()
	all := map[string]*packaging.Object{}
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			continue
		}
		data, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		moved := &unstructured.Unstructured{}
		if err := moved.UnmarshalJSON(bytes.ReplaceAll(data, []byte(`"`+o.Namespace+`"`), []byte(`"prod"`))); err != nil {
			t.Fatal(err)
		}
		all[object.GetKind()+" "+object.GetName()] = normalize(t, moved)
	}
	return all
}

func TestChartMakesWhatDeployApplies(t *testing.T) {
	for _, folder := range examples(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			o := read(t, folder, exampleImage)
			c, dir := load(t, o)
			if diff := cmp.Diff(expected(t, o, o.Objects), render(t, c, nil)); diff != "" {
				t.Errorf("(-deploy +chart):\n%s", diff)
			}
			linter := lint.RunAll(dir, nil, "prod")
			for _, message := range linter.Messages {
				if message.Severity > support.InfoSev {
					t.Error(message)
				}
			}
		})
	}
}

// With the values of a chart that had none of today's keys, as helm upgrade --reuse-values has them.
func TestChartHasDefaultsInItsTemplates(t *testing.T) {
	o := read(t, "../../examples/echo-server", exampleImage)
	c, _ := load(t, o)
	values, err := util.ToRenderValues(c, nil, common.ReleaseOptions{Name: "mine", Namespace: "prod"}, common.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	values["Values"] = common.Values{"other": true}
	if diff := cmp.Diff(render(t, c, nil), rendered(t, c, values)); diff != "" {
		t.Errorf("(-with values.yaml +without):\n%s", diff)
	}
}

func TestChartParts(t *testing.T) {
	o := read(t, "../../examples/echo-server", exampleImage)
	if len(o.Parts) < 5 {
		t.Fatalf("only %d parts", len(o.Parts))
	}
	c, _ := load(t, o)
	all, values := o.Objects, map[string]any{}
	for name, key := range map[string]string{
		"network-policies": "networkPolicies", "service-monitor": "serviceMonitor", "prometheus-rule": "prometheusRule",
		"grafana-dashboard": "grafanaDashboard", "api-roles": "apiRoles",
	} {
		values[key] = map[string]any{"enabled": true}
		for _, part := range o.Parts {
			if part.Name == name {
				all = append(all, part.Objects...)
			}
		}
	}
	if diff := cmp.Diff(expected(t, o, all), render(t, c, values)); diff != "" {
		t.Errorf("(-components +chart):\n%s", diff)
	}
}

func TestChartValues(t *testing.T) {
	o := read(t, "../../examples/echo-server", exampleImage)
	c, _ := load(t, o)
	objects := render(t, c, map[string]any{
		"image":    map[string]any{"repository": "mirror.example.com/op", "tag": "v2", "pullPolicy": "Always", "pullSecrets": []any{map[string]any{"name": "pull"}}},
		"replicas": 0, "resources": map[string]any{"limits": map[string]any{"memory": "1Gi"}}, "args": []any{"--zap-log-level=debug"},
		"env": []any{map[string]any{"name": "A", "value": "{{ b }}"}}, "podLabels": map[string]any{"team": "a"}, "podAnnotations": map[string]any{"note": "b"},
		"nodeSelector": map[string]any{"disk": "ssd"}, "tolerations": []any{map[string]any{"operator": "Exists"}},
		"affinity": map[string]any{"nodeAffinity": map[string]any{}}, "serviceAccount": map[string]any{"annotations": map[string]any{"role": "arn"}},
		"crds": map[string]any{"install": false},
	})
	for path, want := range map[string]any{
		"spec.replicas": "0", "spec.template.metadata.labels.team": "a", "spec.template.metadata.annotations.note": "b",
		"spec.template.spec.nodeSelector.disk": "ssd", "spec.template.spec.tolerations": "[map[operator:Exists]]",
		"spec.template.spec.imagePullSecrets": "[map[name:pull]]", "spec.template.spec.affinity": "map[nodeAffinity:map[]]",
	} {
		got, _, _ := unstructured.NestedFieldNoCopy(objects["Deployment echo-operator-controller-manager"].Object, strings.Split(path, ".")...)
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, expected %v", path, got, want)
		}
	}
	containers, _, _ := unstructured.NestedSlice(objects["Deployment echo-operator-controller-manager"].Object, "spec", "template", "spec", "containers")
	container := containers[0].(map[string]any)
	if fmt.Sprintln(container["image"], container["imagePullPolicy"], container["resources"]) != "mirror.example.com/op:v2 Always map[limits:map[memory:1Gi] requests:map[cpu:10m memory:64Mi]]\n" {
		t.Errorf("container: %v", container)
	}
	if text := fmt.Sprint(container["args"], container["env"]); !strings.Contains(text, "--zap-log-level=debug]") || !strings.Contains(text, "value:{{ b }}") || !strings.Contains(text, "GOMEMLIMIT") {
		t.Errorf("arguments and environment: %s", text)
	}
	if account := objects["ServiceAccount echo-operator-controller-manager"]; account.GetAnnotations()["role"] != "arn" {
		t.Errorf("annotations of the ServiceAccount: %v", account.GetAnnotations())
	}
	for name := range objects {
		if strings.HasPrefix(name, "CustomResourceDefinition") {
			t.Errorf("%s with crds.install=false", name)
		}
	}
	for name, bad := range map[string]map[string]any{
		"a text for replicas": {"replicas": "two"}, "no digest": {"image": map[string]any{"digest": "v1"}}, "no list": {"args": "--a"},
	} {
		if _, err := util.ToRenderValues(c, bad, common.ReleaseOptions{Name: "mine", Namespace: "prod"}, common.DefaultCapabilities); err == nil {
			t.Errorf("%s: the schema accepts %v", name, bad)
		}
	}
}
