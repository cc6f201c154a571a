package packages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/internal/packaging"
)

func TestChartOfAProjectWithWebhooks(t *testing.T) {
	o := read(t, generate(t, "shop.txtar"), exampleImage)
	c, dir := load(t, o)
	objects := render(t, c, nil)
	// All that names the namespace names that of the release: webhooks, certificates, roles.
	for name, object := range objects {
		if text := fmt.Sprint(object.Object); strings.Contains(text, o.Namespace) {
			t.Errorf("%s names %s: %s", name, o.Namespace, text)
		}
	}
	for name, part := range map[string]string{
		"ValidatingWebhookConfiguration shop-validating-webhook-configuration": "namespace:prod path:/validate-shop",
		"Certificate shop-serving-cert":                                        "shop-webhook-service.prod.svc",
	} {
		if object := objects[name]; object == nil || !strings.Contains(fmt.Sprint(object.Object), part) {
			t.Errorf("%s has no %s: %v", name, part, object)
		}
	}
	for _, message := range lint.RunAll(dir, nil, "prod").Messages {
		if message.Severity > support.InfoSev {
			t.Error(message)
		}
	}
}

// Braces in texts of a CRD are text: a chart makes the CRD that deploy applies, and a bundle has it.
func TestBracesAreText(t *testing.T) {
	o := read(t, generate(t, "braces.txtar"), exampleImage)
	c, _ := load(t, o)
	if diff := cmp.Diff(expected(t, o, o.Objects), render(t, c, nil)); diff != "" {
		t.Errorf("(-deploy +chart):\n%s", diff)
	}
	files, err := packaging.Bundle(o, "stable", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range findings(t, files) {
		t.Error(finding)
	}
	crd := o.Objects[slices.IndexFunc(o.Objects, func(o *packaging.Object) bool { return o.GetKind() == "CustomResourceDefinition" })]
	if text := fmt.Sprint(crd.Object); strings.Count(text, "{{") < 10 {
		t.Errorf("the CRD has too few braces for a test: %s", text)
	}
}

func TestChartImage(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	for image, want := range map[string]string{
		"registry.example.com:5000/op:v2": "registry.example.com:5000/op:v2",
		"example.com/op":                  "example.com/op:1.2.0",
		"example.com/op@" + digest:        "example.com/op@" + digest,
		"example.com/op:v2@" + digest:     "example.com/op@" + digest,
	} {
		c, _ := load(t, read(t, "../../examples/echo-server", image))
		containers, _, _ := unstructured.NestedSlice(render(t, c, nil)["Deployment echo-operator-controller-manager"].Object, "spec", "template", "spec", "containers")
		if got := containers[0].(map[string]any)["image"]; got != want {
			t.Errorf("%s: got %v, expected %s", image, got, want)
		}
	}
}
