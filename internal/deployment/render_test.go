package deployment

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeFiles writes files into a new folder and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const manager = `apiVersion: apps/v1
kind: Deployment
metadata: {name: op, namespace: op-system}
spec:
  template:
    spec:
      initContainers: [{name: first, image: other:v1}]
      containers: [{name: manager, image: "op:latest"}]
`

func TestRenderSetsTheImage(t *testing.T) {
	for reference, expected := range map[string]string{
		"":                                  "op:latest",
		"registry.example.com:5000/a/b:1.1": "registry.example.com:5000/a/b:1.1",
		"registry.example.com:5000/a/b":     "registry.example.com:5000/a/b:latest",
		"b:v1@sha256:0123":                  "b:v1@sha256:0123",
		"127.0.0.1:5000/op@sha256:0123":     "127.0.0.1:5000/op@sha256:0123",
	} {
		t.Run(reference, func(t *testing.T) {
			image := Image{}
			if reference != "" {
				image = Image{Name: "op", Reference: reference}
			}
			dir := writeFiles(t, map[string]string{"kustomization.yaml": "resources: [manager.yaml]\n", "manager.yaml": manager})
			objects, err := Render(dir, image)
			if err != nil {
				t.Fatal(err)
			}
			if found := appendImages(nil, objects[0].Object); !slices.Contains(found, expected) || !slices.Contains(found, "other:v1") {
				t.Errorf("the images are %q, expected %q", found, expected)
			}
		})
	}
}

// An overlay that has set the image already leaves none with the name of the project.
func TestRenderRefusesAnImageWithoutUse(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"kustomization.yaml": "resources: [manager.yaml]\nimages: [{name: op, newName: example.com/op, newTag: v1}]\n", "manager.yaml": manager,
	})
	_, err := Render(dir, Image{Name: "op", Reference: "op:v2"})
	if err == nil || !strings.Contains(err.Error(), "no container in "+dir+" has the image op, but example.com/op:v1, other:v1") {
		t.Errorf("error %v", err)
	}
}

func TestRenderSortsForApplying(t *testing.T) {
	dir := writeFiles(t, map[string]string{"kustomization.yaml": "resources: [all.yaml]\n", "all.yaml": manager + `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: op}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: op-system}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.example.com}
---
apiVersion: v1
kind: Namespace
metadata: {name: op-system}
`})
	objects, err := Render(dir, Image{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, object := range objects {
		kinds = append(kinds, object.GetKind())
	}
	expected := []string{"Namespace", "CustomResourceDefinition", "ServiceAccount", "Deployment", "ValidatingWebhookConfiguration"}
	if !slices.Equal(kinds, expected) {
		t.Errorf("the order is %q, expected %q", kinds, expected)
	}
}

func TestRenderNamesWhatIsWrong(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no kustomization": {"other.yaml": ""},
		"not YAML":         {"kustomization.yaml": "resources: [\n"},
		"absent resource":  {"kustomization.yaml": "resources: [absent.yaml]\n"},
	} {
		dir := writeFiles(t, files)
		if _, err := Render(dir, Image{}); err == nil || !strings.HasPrefix(err.Error(), "render "+dir+": ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := writeFiles(t, map[string]string{"two.yaml": "# Code generated.\n" + manager + "---\n" + strings.ReplaceAll(manager, "op-system", "other"), "none.yaml": "# nothing\n"})
	for name, expected := range map[string][]string{"two.yaml": {"op-system", "other"}, "none.yaml": nil, "absent.yaml": nil} {
		objects, err := ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, object := range objects {
			found[object.GetNamespace()] = true
		}
		if actual := slices.Sorted(maps.Keys(found)); !slices.Equal(actual, expected) {
			t.Errorf("%s: the namespaces are %q, expected %q", name, actual, expected)
		}
	}
}
