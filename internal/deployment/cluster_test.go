package deployment

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// connectForTest connects to the cluster for tests, as its administrator.
func connectForTest(t *testing.T) *Cluster {
	t.Helper()
	kubeconfig := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	c, err := Connect(t.Context(), kubeconfig, "", func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// parse returns the objects of a text of YAML, in which NAME stands for a name of the test.
func parse(t *testing.T, name, text string) []*Object {
	t.Helper()
	var objects []*Object
	for document := range strings.SplitSeq(strings.ReplaceAll(text, "NAME", name), "\n---\n") {
		object := new(Object)
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// cleanUp deletes what a test has made, in any state.
func cleanUp(t *testing.T, c *Cluster, objects []*Object) {
	t.Cleanup(func() {
		for _, object := range slices.Backward(objects) {
			_ = c.delete(context.Background(), object, metav1.DeletePropagationBackground)
		}
	})
}

func mustApply(t *testing.T, c *Cluster, objects []*Object) []Change {
	t.Helper()
	cleanUp(t, c, objects)
	changes, err := c.Apply(t.Context(), objects, ApplyOptions{Project: projectOf(objects)})
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// projectOf returns the name of the project of the objects of a test, which is that of its namespace.
func projectOf(objects []*Object) string {
	for _, object := range objects {
		if isNamespace(object) {
			return object.GetName()
		}
	}
	return ""
}

// actions returns what became of which kinds.
func actions(changes []Change) string {
	var texts []string
	for _, change := range changes {
		texts = append(texts, fmt.Sprintf("%s %s", change.Kind, change.Action))
	}
	return strings.Join(texts, ", ")
}

const operatorObjects = `apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {app.kubernetes.io/managed-by: opgen, app.kubernetes.io/name: NAME}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.NAME.example.com}
spec:
  group: NAME.example.com
  names: {kind: Cup, plural: cups}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: op, namespace: NAME}
---
apiVersion: NAME.example.com/v1
kind: Cup
metadata: {name: first, namespace: NAME}`

func TestApplySaysWhatBecameOfEachObject(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-apply", operatorObjects)
	cleanUp(t, c, objects)
	all := "Namespace %[1]s, CustomResourceDefinition %[1]s, ServiceAccount %[1]s, Cup %[1]s"

	planned, err := c.Apply(t.Context(), objects, ApplyOptions{DryRun: true})
	if expected := fmt.Sprintf(all, Created); err != nil || actions(planned) != expected {
		t.Fatalf("a dry run says %q (error: %v), expected %q", actions(planned), err, expected)
	}
	if exists, err := c.exists(t.Context(), objects[0]); exists || err != nil {
		t.Fatalf("the namespace exists after a dry run: %v (error: %v)", exists, err)
	}
	for _, expected := range []Action{Created, Unchanged} {
		if changes := mustApply(t, c, objects); actions(changes) != fmt.Sprintf(all, expected) {
			t.Errorf("it says %q, expected %s", actions(changes), expected)
		}
	}
	objects[2].SetLabels(map[string]string{"new": "label"})
	for _, options := range []ApplyOptions{{DryRun: true}, {}} {
		changes, err := c.Apply(t.Context(), objects[2:3], options)
		if err != nil || actions(changes) != "ServiceAccount configured" {
			t.Errorf("it says %q (error: %v)", actions(changes), err)
		}
	}
}

// Somebody else has changed a field, and kubectl apply without --server-side has made an object.
func TestApplyBesideOtherManagers(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-managers", `apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: mine, namespace: NAME}
data: {key: value, other: value}`)
	mustApply(t, c, objects)
	client, err := c.access(objects[1])
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Patch(t.Context(), "mine", types.MergePatchType, []byte(`{"data":{"key":"edited"}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Apply(t.Context(), objects, ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), `conflict with "kubectl-edit"`) || !strings.Contains(err.Error(), "--force-conflicts") {
		t.Errorf("error %v", err)
	}
	if changes, err := c.Apply(t.Context(), objects, ApplyOptions{ForceConflicts: true}); err != nil || actions(changes) != "Namespace unchanged, ConfigMap configured" {
		t.Errorf("it says %q (error: %v)", actions(changes), err)
	}

	made := objects[1].DeepCopy()
	made.SetName("clientside")
	if _, err := client.Create(t.Context(), made, metav1.CreateOptions{FieldManager: clientSideManager}); err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(made.Object, "data", "other")
	mustApply(t, c, []*Object{made})
	live, err := client.Get(t.Context(), "clientside", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if data, _, _ := unstructured.NestedStringMap(live.Object, "data"); len(data) != 1 {
		t.Errorf("data is %v: what the manifest dropped stays", data)
	}
}

func TestApplyReportsEachRefusal(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-refused", `apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: unknown-field, namespace: NAME}
dota: {}
---
apiVersion: absent.example.com/v1
kind: Nothing
metadata: {name: one, namespace: NAME}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: nowhere}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fine, namespace: NAME}`)
	cleanUp(t, c, objects)
	changes, err := c.Apply(t.Context(), objects, ApplyOptions{})
	if actions(changes) != "Namespace created, ConfigMap created" {
		t.Errorf("it did %q", actions(changes))
	}
	for _, expected := range []string{
		"ConfigMap deployment-refused/unknown-field: ", ".dota: field not declared in schema",
		"Nothing deployment-refused/one: the API server does not serve Nothing of absent.example.com/v1",
		"ConfigMap nowhere: it has no namespace",
	} {
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("error %v, expected %q", err, expected)
		}
	}
}

func TestApplyWaitsForNoNamesOfAnother(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-names", operatorObjects)
	mustApply(t, c, objects)
	second := objects[1].DeepCopy()
	second.SetName("mugs.deployment-names.example.com")
	_ = unstructured.SetNestedField(second.Object, "mugs", "spec", "names", "plural")
	cleanUp(t, c, []*Object{second})
	begin := time.Now()
	_, err := c.Apply(t.Context(), []*Object{second}, ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), "is already in use") || time.Since(begin) > establishTimeout/2 {
		t.Errorf("error %v after %s", err, time.Since(begin))
	}
}

// removed plans and does a removal.
func removed(t *testing.T, c *Cluster, objects []*Object, project string) []Change {
	t.Helper()
	plan, err := c.PlanRemoval(t.Context(), objects, project)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := c.Remove(t.Context(), plan, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// What others have made is taken over only if it is asked for: Remove would delete it.
func TestApplyRefusesObjectsOfOthers(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-others", `apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs, namespace: NAME}
data: {mine: value}`)
	mustApply(t, c, objects[:1])
	client, err := c.access(objects[1])
	if err != nil {
		t.Fatal(err)
	}
	theirs := parse(t, "deployment-others", `{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs}, data: {other: value}}`)[0]
	if _, err := client.Create(t.Context(), theirs, metav1.CreateOptions{FieldManager: "helm"}); err != nil {
		t.Fatal(err)
	}
	for _, options := range []ApplyOptions{{DryRun: true}, {}} {
		changes, err := c.Apply(t.Context(), objects, options)
		if err == nil || !strings.HasPrefix(err.Error(), "ConfigMap deployment-others/theirs: it exists, and neither opgen nor kubectl apply put it there\n    take it over with --force-conflicts") {
			t.Errorf("it did %q (error: %v)", actions(changes), err)
		}
	}
	if live, err := c.read(t.Context(), objects[1]); err != nil || isApplied(live) {
		t.Errorf("it was applied (error: %v)", err)
	}
	if changes, err := c.Apply(t.Context(), objects, ApplyOptions{ForceConflicts: true}); err != nil || actions(changes) != "Namespace unchanged, ConfigMap configured" {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
}
