package packages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/opgen-dev/opgen/internal/packaging"
)

// inNamespace copies what echo-server is packaged from, and has its kustomization set a namespace.
func inNamespace(t *testing.T, namespace string) (root string) {
	t.Helper()
	const example = "../../examples/echo-server"
	root = t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "deploy"), os.DirFS(filepath.Join(example, "deploy"))); err != nil {
		t.Fatal(err)
	}
	settings, err := os.ReadFile(filepath.Join(example, "opgen.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "deploy", "kustomization.yaml")
	kustomization, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{filepath.Join(root, "opgen.yaml"): string(settings), file: string(kustomization) + "namespace: " + namespace + "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// everyPart are values that turn on every part of a chart, and of the two with the same roles one.
func everyPart(o *packaging.Operator) map[string]any {
	values := map[string]any{}
	for _, part := range o.Parts {
		if part.Name == "api-roles" {
			continue
		}
		words := strings.Split(part.Name, "-")
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		values[strings.Join(words, "")] = map[string]any{"enabled": true}
	}
	return values
}

// The chart is in the namespace of the release, whichever one the kustomization sets: also one whose name is a part of
// API groups, of images or of names of other things.
func TestChartDoesNotDependOnTheNamespaceOfTheKustomization(t *testing.T) {
	o := read(t, "../../examples/echo-server", exampleImage)
	c, _ := load(t, o)
	want := render(t, c, everyPart(o))
	for _, namespace := range []string{"staging", "example", "demo", "com", "monitoring", "v1", "echo-operator", "operators", "manager", "metrics"} {
		t.Run(namespace, func(t *testing.T) {
			o := read(t, inNamespace(t, namespace), exampleImage)
			c, _ := load(t, o)
			if diff := cmp.Diff(want, render(t, c, everyPart(o))); diff != "" {
				t.Errorf("(-without +with namespace: %s):\n%s", namespace, diff)
			}
		})
	}
}

// helm upgrade --reuse-values takes the defaults of the older chart for values. The image is the new one nevertheless,
// also when its registry has moved.
func TestReusedValuesKeepNoImage(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	for _, images := range [][3]string{
		{"old.example.com/op:v1", "new.example.com/op:v2", "new.example.com/op:v2"},
		{"old.example.com/op:v1", "new.example.com/op" + digest, "new.example.com/op" + digest},
		{"old.example.com/op" + digest, "old.example.com/op:v2", "old.example.com/op:v2"},
	} {
		before, _ := load(t, read(t, "../../examples/echo-server", images[0]))
		c, _ := load(t, read(t, "../../examples/echo-server", images[1]))
		deployment := render(t, c, before.Values)["Deployment echo-operator-controller-manager"]
		if containers := fmt.Sprint(deployment.Object["spec"]); !strings.Contains(containers, "image:"+images[2]+" ") {
			t.Errorf("from %s to %s: expected the image %s in %s", images[0], images[1], images[2], containers)
		}
	}
}

// What helm prints says what an uninstall does with the values of the release.
func TestNotesSayWhatBecomesOfCRDs(t *testing.T) {
	c, _ := load(t, read(t, "../../examples/echo-server", exampleImage))
	for values, want := range map[*map[string]any]string{
		{}:                                      "stay when you uninstall",
		{"crds": map[string]any{"keep": false}}: "helm uninstall deletes the CRDs",
		{"crds": map[string]any{"keep": false, "install": false}}: "stay when you uninstall",
	} {
		all, err := util.ToRenderValues(c, *values, common.ReleaseOptions{Name: "mine", Namespace: "prod"}, common.DefaultCapabilities)
		if err != nil {
			t.Fatal(err)
		}
		files, err := engine.Render(c, all)
		if err != nil {
			t.Fatal(err)
		}
		if notes := files[c.Name()+"/templates/NOTES.txt"]; !strings.Contains(notes, want) {
			t.Errorf("%v: the notes do not say %q: %s", *values, want, notes)
		}
	}
}

// Two webhooks of one name, as the mutating and the validating one of a kind may have, are in the same order each time.
func TestBundleIsTheSameEachTime(t *testing.T) {
	root := generate(t, "shop.txtar")
	file := filepath.Join(root, "deploy", "zz_generated.manager.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.NewReplacer("vshop.example.com", "shop.example.com", "mshop.example.com", "shop.example.com").Replace(string(text))
	if renamed == string(text) {
		t.Fatalf("%s has no webhooks", file)
	}
	if err := os.WriteFile(file, []byte(renamed), 0o644); err != nil {
		t.Fatal(err)
	}
	o := read(t, root, exampleImage)
	first := ""
	for range 50 {
		files, err := packaging.Bundle(o, "stable", "")
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range files {
			text += fmt.Sprintf("%s\n%s\n", f.Path, f.Content)
		}
		if first == "" {
			first = text
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Fatalf("(-first +another):\n%s", diff)
		}
	}
}
