package packages

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube/fake"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes/fake"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/packaging"
	"github.com/opgen-dev/opgen/internal/projecttest"
	"github.com/opgen-dev/opgen/internal/tree"
)

// largeProject makes a project of several kinds with two templates of Pods each.
func largeProject(t *testing.T, kinds int, settings string) string {
	t.Helper()
	files := map[string][]byte{"opgen.yaml": []byte("apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: big\nmodule: example.com/big\n" + settings)}
	for i := range kinds {
		kind := fmt.Sprintf("Kind%c", 'A'+i)
		files["api/"+strings.ToLower(kind)+".yaml"] = []byte("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: big.example.com\nnames: {kind: " + kind + `}
versions:
- name: v1
  spec:
    properties:
      web: core/v1.PodTemplateSpec
      worker: core/v1.PodTemplateSpec
operator:
  children:
  - {apiVersion: v1, kind: ConfigMap}
`)
	}
	return projecttest.Make(t, files)
}

// storedSize has Helm install a chart, and returns how much is in the Secret of its release.
func storedSize(t *testing.T, c *chart.Chart, values map[string]any) int {
	t.Helper()
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	secrets := clientset.NewSimpleClientset().CoreV1().Secrets("release")
	configuration := &action.Configuration{
		Releases: storage.Init(driver.NewSecrets(secrets)), KubeClient: &fake.PrintingKubeClient{Out: new(strings.Builder)}, Capabilities: capabilities,
	}
	install := action.NewInstall(configuration)
	install.ReleaseName, install.Namespace = "release", "release"
	made, err := install.Run(c, values)
	if err != nil {
		t.Fatal(err)
	}
	list, err := secrets.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d Secrets of %s, %v", len(list.Items), made.(*release.Release).Name, err)
	}
	return len(list.Items[0].Data["release"])
}

// sizeOf returns the size of the chart of a project, and its chart.
func sizeOf(t *testing.T, root, dir string) (packaging.Size, *chart.Chart) {
	t.Helper()
	o := readFolder(t, root, dir)
	files, err := packaging.Chart(o)
	if err != nil {
		t.Fatal(err)
	}
	size, err := packaging.ChartSize(o, files)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := load(t, o)
	return size, c
}

// The size that opgen computes is that of Helm's own Secret.
func TestChartSizeIsHelms(t *testing.T) {
	for name, root := range map[string]string{
		"echo-server": "../../examples/echo-server", "bluegreen": "../../examples/bluegreen", "shop": generate(t, "shop.txtar"), "large": largeProject(t, 1, ""),
	} {
		root, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		size, c := sizeOf(t, root, "deploy")
		if stored := storedSize(t, c, nil); size.Bytes < stored*99/100 || size.Bytes > stored*101/100 {
			t.Errorf("%s: %d bytes, and Helm stores %d", name, size.Bytes, stored)
		}
		if size.IsNear() || size.Check() != nil {
			t.Errorf("%s: %v", name, size)
		}
	}
}

const maxSecret = 1 << 20

// A chart that Helm cannot store is refused, and what the error proposes makes one that Helm stores, as large as said.
func TestChartThatHelmCannotStore(t *testing.T) {
	longtest.Skip(t, "makes charts of over 1 MiB")
	root := largeProject(t, 2, "")
	size, c := sizeOf(t, root, "deploy")
	if stored := storedSize(t, c, nil); stored <= maxSecret {
		t.Fatalf("Helm stores %d bytes", stored)
	}
	err := size.Check()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"maxDescLen: 0", "$patch: delete", "crds.install=false"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not name %s: %v", part, err)
		}
	}
	_, bare := sizeOf(t, largeProject(t, 2, "maxDescLen: 0\n"), "deploy")
	writeFile(t, root, "without/kustomization.yaml", "resources: [../deploy]\npatches:\n- target: {kind: CustomResourceDefinition}\n  patch: '{$patch: delete, apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: any}}'\n")
	_, none := sizeOf(t, root, "without")
	for way, stored := range map[string]int{
		"maxDescLen: 0": storedSize(t, bare, nil), "$patch: delete": storedSize(t, none, nil),
		"crds.install=false": storedSize(t, c, map[string]any{"crds": map[string]any{"install": false}}),
	} {
		if stored > maxSecret {
			t.Errorf("%s: Helm stores %d bytes", way, stored)
		}
		said := false
		for line := range strings.Lines(err.Error()) {
			var kib int
			_, number, _ := strings.Cut(strings.TrimSpace(line), ": ")
			number = number[strings.LastIndex(number, ": ")+1:]
			if _, err := fmt.Sscanf(strings.TrimSpace(number), "%d KiB", &kib); strings.Contains(line, way) && err == nil {
				said = kib >= stored*98/100>>10 && kib <= stored*102/100>>10+1
			}
		}
		if !said {
			t.Errorf("%s makes %d bytes, and the error says otherwise: %v", way, stored, err)
		}
	}
	many, _ := sizeOf(t, largeProject(t, 5, ""), "deploy")
	if err := many.Check(); err == nil || !strings.Contains(err.Error(), "crds.install=false is not enough") {
		t.Errorf("error %v", err)
	}
}

// A bundle that is too large for the validators is so for opgen, too; one that is near the limit for them is near for both.
func TestBundleSizeIsTheValidators(t *testing.T) {
	longtest.Skip(t, "makes bundles of over 1 MiB")
	for kinds, state := range map[int]string{1: "", 5: "nearing maximum", 6: "exceeded"} {
		o := readFolder(t, largeProject(t, kinds, ""), "deploy")
		remake := func(o *packaging.Operator) ([]tree.File, error) { return packaging.Bundle(o, "stable", "") }
		files, err := remake(o)
		if err != nil {
			t.Fatal(err)
		}
		size, err := packaging.BundleSize(o, files, remake)
		if err != nil {
			t.Fatal(err)
		}
		if said := fmt.Sprint(findings(t, files)); !strings.Contains(said, state) || state == "" && said != "[]" {
			t.Errorf("%d kinds: the validators say %s, expected %q", kinds, said, state)
		}
		if size.IsNear() != (state != "") || (size.Check() != nil) != (state == "exceeded") {
			t.Errorf("%d kinds: %d bytes, near %v, error %v", kinds, size.Bytes, size.IsNear(), size.Check())
		}
		if size.IsNear() && !strings.Contains(size.String(), "maxDescLen: 0") {
			t.Errorf("%d kinds: the message does not say what to do: %v", kinds, size)
		}
	}
}
