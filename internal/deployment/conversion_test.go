package deployment

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// convertedObjects store a version that is not the one that the API server prefers.
const convertedObjects = `apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.NAME.example.com}
spec:
  group: NAME.example.com
  names: {kind: Cup, plural: cups}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: NAME, name: webhook}}}
  versions:
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: v1
kind: Service
metadata: {name: webhook, namespace: NAME}
spec: {selector: {app: op}, ports: [{port: 443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: op, namespace: NAME}
spec:
  replicas: 0
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec: {containers: [{name: op, image: none}]}`

const storedCup = `apiVersion: NAME.example.com/v1alpha1
kind: Cup
metadata: {name: first, namespace: NAME}`

// What stays has to work without what goes.
func TestPlanRemovalRefusesToStopConversions(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(objects []*Object) []*Object // of what is applied and removed
		without bool                              // objects of the CRD
		refused bool
	}{
		"service":  {func(o []*Object) []*Object { return o[:3] }, false, true},
		"backend":  {func(o []*Object) []*Object { return append(o[:2:2], o[3]) }, false, true}, // the Service is not in the manifests
		"owned":    {func(o []*Object) []*Object { return append(o[:2:2], o[3]) }, false, true}, // and selects other Pods
		"empty":    {func(o []*Object) []*Object { return o }, true, false},
		"external": {func(o []*Object) []*Object { return o[1:2] }, false, false}, // somebody else's operator converts
		"single": {func(o []*Object) []*Object {
			versions, _, _ := unstructured.NestedSlice(o[1].Object, "spec", "versions")
			_ = unstructured.SetNestedSlice(o[1].Object, versions[1:], "spec", "versions")
			return o
		}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connectForTest(t)
			project := "deployment-convert-" + name
			all := parse(t, project, convertedObjects)
			objects := test.change(all)
			mustApply(t, c, all)
			if !test.without {
				mustApply(t, c, parse(t, project, storedCup))
			}
			if name == "owned" {
				_ = unstructured.SetNestedField(all[2].Object, "other", "spec", "selector", "app")
				all[2].SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "op", UID: people{t, c, ""}.read(all[3]).GetUID()}})
				mustApply(t, c, all[2:3])
			}
			_, err := c.PlanRemoval(t.Context(), objects, project)
			const expected = "has objects (1), which Service NAME/webhook converts, and that goes"
			if refused := err != nil && strings.Contains(err.Error(), strings.ReplaceAll(expected, "NAME", project)) && strings.Contains(err.Error(), "run opgen uninstall first"); refused != test.refused || err != nil && !refused {
				t.Errorf("error %v, expected a refusal: %v", err, test.refused)
			}
		})
	}
}

// Somebody has taken the operator out by hand, with the Service that converts.
func TestUninstallWithoutTheConversionWebhook(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-unconverted"
	objects := parse(t, project, convertedObjects)
	cup := parse(t, project, storedCup)
	mustApply(t, c, objects)
	mustApply(t, c, cup)
	if err := c.delete(t.Context(), objects[2], metav1.DeletePropagationBackground); err != nil {
		t.Fatal(err)
	}
	data, err := c.Count(t.Context(), objects)
	if err != nil || len(data) != 1 || data[0].Objects != 1 {
		t.Fatalf("counted %+v (error: %v)", data, err)
	}
	removed(t, c, append(objects[:1:1], objects[3]), project)

	// With two stored versions, nobody can read the objects.
	crd, err := c.access(objects[1])
	if err != nil {
		t.Fatal(err)
	}
	swap := `[{"op":"replace","path":"/spec/versions/0/storage","value":true},{"op":"replace","path":"/spec/versions/1/storage","value":false}]`
	for i, patch := range []string{swap, strings.NewReplacer("true", "false", "false", "true").Replace(swap)} {
		if _, err := crd.Patch(t.Context(), objects[1].GetName(), types.JSONPatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			break
		}
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(pollInterval) { // until the API server serves it so
			_, err := c.Count(t.Context(), objects)
			if err != nil && strings.Contains(err.Error(), "their conversion webhook has to answer: run opgen deploy") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("error %v", err)
			}
		}
	}
	if changes, err := c.DeleteCRDs(t.Context(), data, time.Minute); err != nil || actions(changes) != "CustomResourceDefinition deleted" {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
}
