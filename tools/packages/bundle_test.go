package packages

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"

	"github.com/opgen-dev/opgen/internal/packaging"
)

func TestBundlesAreValid(t *testing.T) {
	for _, folder := range examples(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			o := read(t, folder, exampleImage)
			files, err := packaging.Bundle(o, "stable", "")
			if err != nil {
				t.Fatal(err)
			}
			bundle, err := manifests.GetBundleFromDir(filepath.Join(write(t, files, packaging.BundleDir), "manifests"))
			if err != nil {
				t.Fatal(err)
			}
			objects := bundle.ObjectsToValidate()
			for _, object := range bundle.Objects {
				objects = append(objects, object)
			}
			validators := append(validation.DefaultBundleValidators, validation.OperatorHubV2Validator, validation.StandardCapabilitiesValidator, validation.StandardCategoriesValidator)
			for _, result := range validators.Validate(objects...) {
				for _, e := range append(result.Errors, result.Warnings...) {
					// An author adds an icon.
					if !strings.Contains(e.Error(), "Icon not specified") && !isOfServedRules(e.Error()) {
						t.Errorf("%s: %v", result.Name, e)
					}
				}
			}
		})
	}
}

// servedRule is how the validator names a rule of a role whose resource had versions that were removed from Kubernetes,
// and has one that is served: events.k8s.io/v1 and autoscaling/v2.
var servedRule = regexp.MustCompile(`(events|horizontalpodautoscalers): \(\["ClusterServiceVersion\.Spec\.InstallStrategy[^)]*\]\),?`)

// isOfServedRules reports whether a warning of removed APIs is of such rules alone. A rule names no version, so that the
// validator warns of them whichever version the operator asks for.
func isOfServedRules(warning string) bool {
	_, resources, removed := strings.Cut(warning, "Migrate the API(s) for ")
	return removed && servedRule.ReplaceAllString(resources, "") == ""
}

func TestBundleOfAProjectWithWebhooks(t *testing.T) {
	o := read(t, generate(t, "shop.txtar"), exampleImage)
	files, err := packaging.Bundle(o, "beta", "shop.v1.1.0")
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, files, packaging.BundleDir)
	bundle, err := manifests.GetBundleFromDir(filepath.Join(dir, "manifests"))
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range append(validation.DefaultBundleValidators, validation.OperatorHubV2Validator).Validate(bundle.ObjectsToValidate()...) {
		for _, e := range result.Errors {
			t.Errorf("%s: %v", result.Name, e)
		}
	}
	spec := bundle.CSV.Spec
	got := map[string]any{
		"display name": spec.DisplayName, "description": spec.Description, "version": spec.Version.String(), "replaces": spec.Replaces,
		"provider": spec.Provider.Name, "keywords": spec.Keywords, "maintainer": spec.Maintainers[0].Name + " " + spec.Maintainers[0].Email,
		"icon": spec.Icon[0].MediaType, "link": spec.Links[0].URL, "owned": len(spec.CustomResourceDefinitions.Owned),
	}
	want := map[string]any{
		"display name": "Shops", "description": "Runs shops.", "version": "1.2.0", "replaces": "shop.v1.1.0", "provider": "Example Inc.",
		"keywords": []string{"shop", "database"}, "maintainer": "Ada ada@example.com", "icon": "image/svg+xml", "link": "https://example.com/shops", "owned": 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-expected +got):\n%s", diff)
	}
	var modes, webhooks []string
	for _, mode := range spec.InstallModes {
		if mode.Supported {
			modes = append(modes, string(mode.Type))
		}
	}
	for _, w := range spec.WebhookDefinitions {
		webhooks = append(webhooks, string(w.Type)+" "+w.GenerateName+" "+*w.WebhookPath+" "+w.TargetPort.String())
	}
	if diff := cmp.Diff([]string{"OwnNamespace", "SingleNamespace", "MultiNamespace"}, modes); diff != "" {
		t.Errorf("install modes (-expected +got):\n%s", diff)
	}
	expected := []string{
		"MutatingAdmissionWebhook mshop.example.com /mutate-shop webhook-server",
		"ValidatingAdmissionWebhook vshop.example.com /validate-shop webhook-server",
	}
	if diff := cmp.Diff(expected, webhooks); diff != "" {
		t.Errorf("webhooks (-expected +got):\n%s", diff)
	}
	for _, d := range spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		for _, variable := range d.Spec.Template.Spec.Containers[0].Env {
			if variable.Name == "POD_NAMESPACE" && variable.ValueFrom.FieldRef.FieldPath != "metadata.annotations['olm.targetNamespaces']" {
				t.Errorf("the operator watches %s, expected the namespaces of the installation", variable.ValueFrom.FieldRef.FieldPath)
			}
		}
		if volumes := d.Spec.Template.Spec.Volumes; len(volumes) > 0 {
			t.Errorf("the Deployment keeps the volumes of certificates, which the Operator Lifecycle Manager mounts: %v", volumes)
		}
	}
}
