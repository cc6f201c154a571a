package packages

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/distribution/reference"
	"golang.org/x/tools/txtar"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/packaging"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

// readFolder returns the operator of a kustomization of a project.
func readFolder(t *testing.T, root, dir string) *packaging.Operator {
	t.Helper()
	p, err := project.ReadProjectFile(root)
	if err != nil {
		t.Fatal(err)
	}
	o, err := packaging.Read(root, filepath.Join(root, dir), p, packaging.Release{Version: "1.2.0", Image: exampleImage})
	if err == nil {
		err = o.ReadParts()
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// No object of a chart has a key twice, whatever the author's metadata and the values of the release are: render reads
// strictly. What the release sets is what counts.
func TestChartHasNoKeyTwice(t *testing.T) {
	root := generate(t, "ledger.txtar")
	for _, dir := range []string{"deploy", "patched"} {
		for given, values := range map[string]map[string]any{
			"no values": nil,
			"labels and annotations of the chart": {
				"podLabels":      map[string]any{"app.kubernetes.io/name": "ledger", "app.kubernetes.io/instance": "blue", "team": "a"},
				"podAnnotations": map[string]any{"kubectl.kubernetes.io/default-container": "other", "note": "mine", "{{ braces }}": "x"},
				"serviceAccount": map[string]any{"annotations": map[string]any{"helm.sh/resource-policy": "none", "note": "mine"}},
				"crds":           map[string]any{"keep": false},
			},
		} {
			t.Run(dir+", "+given, func(t *testing.T) {
				o := readFolder(t, root, dir)
				c, _ := load(t, o)
				objects := renderRaw(t, c, values)
				for name, object := range objects {
					if labels := object.GetLabels(); labels["app.kubernetes.io/instance"] != "mine" || labels["app.kubernetes.io/managed-by"] != "Helm" {
						t.Errorf("labels of %s: %v", name, labels)
					}
				}
				crd := objects["CustomResourceDefinition ledgers.dup.example.com"]
				if kept := crd.GetAnnotations()["helm.sh/resource-policy"]; (kept == "keep") != (values == nil) {
					t.Errorf("the CRD has the policy %q with %v", kept, values)
				}
				if values == nil {
					return
				}
				pod := objects["Deployment ledger-controller-manager"].Object["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
				if labels := pod["labels"].(map[string]any); labels["team"] != "a" || labels["app.kubernetes.io/instance"] != "blue" {
					t.Errorf("labels of the Pods: %v", labels)
				}
				if annotations := pod["annotations"].(map[string]any); annotations["note"] != "mine" || annotations["{{ braces }}"] != "x" {
					t.Errorf("annotations of the Pods: %v", annotations)
				}
				if account := objects["ServiceAccount ledger-controller-manager"].GetAnnotations(); account["helm.sh/resource-policy"] != "none" || account["note"] != "mine" {
					t.Errorf("annotations of the ServiceAccount: %v", account)
				}
			})
		}
	}
}

// What a patch says of Pods and of the ServiceAccount is there without values, in the namespace of the release.
func TestChartKeepsAnnotationsOfPatches(t *testing.T) {
	c, _ := load(t, readFolder(t, generate(t, "ledger.txtar"), "patched"))
	for name, object := range renderRaw(t, c, nil) {
		if note := object.GetAnnotations()["note"]; note != "of {{ braces }} in ledger-system" {
			t.Errorf("%s: note %q", name, note)
		}
	}
}

// A variable of the values takes the place of the chart's with its name: a list of variables with a name twice is
// refused by server-side apply, which Helm 4 uses.
func TestChartHasNoVariableTwice(t *testing.T) {
	c, _ := load(t, read(t, "../../examples/echo-server", exampleImage))
	objects := renderRaw(t, c, map[string]any{"env": []any{
		map[string]any{"name": "GOMEMLIMIT", "value": "1GiB"}, map[string]any{"name": "MORE", "value": "yes"},
	}})
	values := map[string][]any{}
	for _, variable := range variablesOf(objects["Deployment echo-operator-controller-manager"]) {
		values[variable["name"].(string)] = append(values[variable["name"].(string)], variable["value"])
	}
	for name, all := range values {
		if len(all) != 1 {
			t.Errorf("%s is there %d times", name, len(all))
		}
	}
	if len(values["GOMEMLIMIT"]) != 1 || values["GOMEMLIMIT"][0] != "1GiB" || values["MORE"] == nil || len(values) < 3 {
		t.Errorf("variables: %v", values)
	}
}

// variablesOf returns the environment variables of the operator's container.
func variablesOf(deployment *packaging.Object) (variables []map[string]any) {
	pod := deployment.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	list, _ := pod["containers"].([]any)[0].(map[string]any)["env"].([]any)
	for _, item := range list {
		variables = append(variables, item.(map[string]any))
	}
	return variables
}

// readStrictly reads the documents of a file of YAML. A key that is there twice is an error.
func readStrictly(t *testing.T, name string, content []byte) {
	t.Helper()
	for document := range strings.SplitSeq("\n"+string(content), "\n---\n") {
		var value any
		if err := yaml.UnmarshalStrict([]byte(document), &value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// isYAML reports whether a generated file is plain YAML.
func isYAML(name string) bool {
	return (filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" || filepath.Base(name) == "opgen.lock") &&
		!strings.Contains(name, "/templates/")
}

// No file that opgen writes has a key twice: those of the examples, of the goldens, of a project with hostile metadata,
// and of its packages.
func TestNoFileHasAKeyTwice(t *testing.T) {
	roots := append(examples(t), generate(t, "ledger.txtar"), generate(t, "shop.txtar"))
	read := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !isYAML(path) {
				return err
			}
			content, err := os.ReadFile(path)
			readStrictly(t, path, content)
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	archives, err := filepath.Glob("../../testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, archive := range archives {
		golden, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range golden.Files {
			if isYAML(f.Name) {
				readStrictly(t, archive+": "+f.Name, f.Data)
				read++
			}
		}
	}
	if read < 100 || len(archives) == 0 {
		t.Errorf("only %d files were read", read)
	}
}

func TestNoPackageHasAKeyTwice(t *testing.T) {
	root := generate(t, "ledger.txtar")
	for _, dir := range []string{"deploy", "patched"} {
		o := readFolder(t, root, dir)
		packages := []func() ([]tree.File, error){
			func() ([]tree.File, error) { return packaging.Manifest(o) },
			func() ([]tree.File, error) { return packaging.Chart(o) },
		}
		if dir == "deploy" { // a bundle has no place for annotations of the Deployment
			packages = append(packages, func() ([]tree.File, error) { return packaging.Bundle(o, "stable", "") })
		}
		for _, make := range packages {
			files, err := make()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if isYAML(f.Path) {
					readStrictly(t, f.Path, f.Content)
				}
			}
		}
	}
}

// Every label of a chart is one that the API server takes, whatever the names and versions of a release are: a label is a
// text, also if it looks like a number, of at most 63 characters.
func TestChartLabelsAreLabels(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	for given, tc := range map[string]struct{ version, image, release, namespace string }{
		"numbers":                   {"1.2.0", "example.com/op:2", "1234", "1e3"},
		"words of YAML":             {"1.2.0", "example.com/op:yes", "true", "null"},
		"build metadata":            {"1.2.0+abc.1", "example.com/op" + digest, "mine", "prod"},
		"build metadata and no tag": {"1.2.0+abc", "example.com/op", "mine", "prod"},
		"a long tag":                {"1.2.0", "example.com/op:" + strings.Repeat("a", 62) + ".-_" + strings.Repeat("b", 60), "mine", "prod"},
		"a tag with odd ends":       {"1.2.0", "example.com/op:_v1.", "mine", "prod"},
		"a long version":            {"1.2.0-" + strings.Repeat("a", 45) + ".b.c-d.e-f", "example.com/op:v1", "mine", "prod"},
	} {
		t.Run(given, func(t *testing.T) {
			root, err := filepath.Abs("../../examples/echo-server")
			if err != nil {
				t.Fatal(err)
			}
			p, err := project.ReadProjectFile(root)
			if err != nil {
				t.Fatal(err)
			}
			o, err := packaging.Read(root, filepath.Join(root, "deploy"), p, packaging.Release{Version: tc.version, Image: tc.image})
			if err != nil {
				t.Fatal(err)
			}
			c, _ := load(t, o)
			values, err := util.ToRenderValues(c, nil, common.ReleaseOptions{Name: tc.release, Namespace: tc.namespace}, common.DefaultCapabilities)
			if err != nil {
				t.Fatal(err)
			}
			for name, object := range renderedRaw(t, c, values) {
				labels, _, err := unstructured.NestedStringMap(object.Object, "metadata", "labels")
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for key, value := range labels {
					if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
						t.Errorf("%s: %s: %q: %v", name, key, value, problems)
					}
				}
				if _, _, err := unstructured.NestedString(object.Object, "metadata", "namespace"); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if object.GetKind() != "Deployment" {
					continue
				}
				containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
				image := containers[0].(map[string]any)["image"].(string)
				if _, err := reference.ParseNormalizedNamed(image); err != nil {
					t.Errorf("the image is %q: %v", image, err)
				}
			}
		})
	}
}
