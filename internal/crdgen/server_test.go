package crdgen_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// startServer returns a client of the API server of OPGEN_TEST_KUBECONFIG, with CRDs that are there
// until the test ends.
func startServer(t *testing.T, crds ...*apiextv1.CustomResourceDefinition) client.Client {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	log.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := apiextv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	server, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if err := server.Create(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Delete(context.Background(), crd); err != nil {
				t.Error(err)
			}
		})
	}
	return server
}

// create creates an object; as long as its kind is not served yet, it tries again.
func create(t *testing.T, server client.Client, object *unstructured.Unstructured) error {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := server.Create(t.Context(), object)
		unserved := err != nil && (apierrors.IsNotFound(err) || strings.Contains(err.Error(), "no matches for kind"))
		if !unserved || time.Now().After(deadline) {
			return err
		}
	}
}

// object returns an object of a kind of readable.opgen.dev/v1.
func object(t *testing.T, kind, name, spec string) *unstructured.Unstructured {
	t.Helper()
	var content map[string]any
	text := fmt.Sprintf(`{"apiVersion": "readable.opgen.dev/v1", "kind": %q, "metadata": {"namespace": "default", "name": %q}, "spec": %s}`, kind, name, spec)
	if err := kjson.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// TestServerStoresWhatIsRead is TestWhatIsAcceptedIsRead against a real API server.
func TestServerStoresWhatIsRead(t *testing.T) {
	server := startServer(t, readableCRD(t, readableAPI))
	n := 0
	for _, tc := range readableValues {
		for value, accepted := range expected(tc.accepted, tc.rejected) {
			n++
			o := object(t, "Readable", fmt.Sprintf("value-%d", n), `{"`+tc.field+`": `+value+`}`)
			err := create(t, server, o)
			switch {
			case accepted && err != nil:
				t.Errorf("%s: %s is refused: %v", tc.field, value, err)
			case !accepted && !apierrors.IsInvalid(err):
				t.Errorf("%s: %s is not refused as invalid: %v", tc.field, value, err)
			case accepted:
				if err := readInGo(t, o.Object["spec"]); err != nil {
					t.Errorf("%s: %s is stored, but not read: %v", tc.field, value, err)
				}
			}
		}
	}
}

// TestServerKeepsEmbeddedMetadata shows what becomes of the metadata of a pod template.
func TestServerKeepsEmbeddedMetadata(t *testing.T) {
	bare := strings.Replace(readableAPI, "{kind: Readable}", "{kind: Bare}\nembeddedMetadata: false", 1)
	described := strings.Replace(readableAPI, "{kind: Readable}", "{kind: Described}", 1)
	all := strings.Replace(readableAPI, "{kind: Readable}", "{kind: All}\nembeddedMetadata: All", 1)
	server := startServer(t, readableCRD(t, bare), readableCRD(t, described), readableCRD(t, all))
	const metadata = `{"name": "a", "namespace": "b", "labels": {"app": "web"}, "annotations": {"example.com/note": "n"}, "finalizers": ["example.com/f"]}`
	var whole map[string]any
	if err := kjson.Unmarshal([]byte(metadata), &whole); err != nil {
		t.Fatal(err)
	}
	labelled := maps.Clone(whole)
	delete(labelled, "namespace") // where a Pod lies is no choice of whoever writes a template
	delete(labelled, "finalizers")
	for kind, want := range map[string]map[string]any{"All": whole, "Described": labelled, "Bare": {}} {
		o := object(t, kind, "template", `{"template": {"metadata": `+metadata+`, "spec": {"containers": [{"name": "web"}]}}}`)
		if err := create(t, server, o); err != nil {
			t.Fatal(err)
		}
		stored := &unstructured.Unstructured{}
		stored.SetGroupVersionKind(o.GroupVersionKind())
		if err := server.Get(t.Context(), client.ObjectKeyFromObject(o), stored); err != nil {
			t.Fatal(err)
		}
		got, _, err := unstructured.NestedMap(stored.Object, "spec", "template", "metadata")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +stored:\n%s", kind, diff)
		}
	}
}

// A limit of the names is added to a CRD while objects with longer names exist.
func TestNameLimitLeavesExistingObjectsAlone(t *testing.T) {
	const long = "a-name-of-more-than-20-characters"
	crdOf := func(limit string) *apiextv1.CustomResourceDefinition {
		return readableCRD(t, "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: readable.opgen.dev\nnames: {kind: Limited}\n"+limit+
			"versions:\n- name: v1\n  spec: {properties: {a: integer}}\n  status: {properties: {a: integer}}\n")
	}
	server := startServer(t, crdOf(""))
	existing := object(t, "Limited", long, `{"a": 1}`)
	existing.SetFinalizers([]string{"example.com/a"})
	if err := create(t, server, existing); err != nil {
		t.Fatal(err)
	}
	crd := new(apiextv1.CustomResourceDefinition)
	if err := server.Get(t.Context(), client.ObjectKey{Name: "limiteds.readable.opgen.dev"}, crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec = crdOf("maxNameLength: 20\n").Spec
	if err := server.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := server.Create(t.Context(), object(t, "Limited", long+"-again", `{"a": 1}`), client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), "metadata.name: Too long: may not be more than 20 bytes") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("a long name is not refused: %v", err)
		}
	}
	if err := create(t, server, object(t, "Limited", "a-name-of-20-letters", `{"a": 1}`)); err != nil {
		t.Error(err)
	}
	merge := func(patch string) client.Patch { return client.RawPatch("application/merge-patch+json", []byte(patch)) }
	if err := server.Patch(t.Context(), existing, merge(`{"spec":{"a":2}}`)); err != nil {
		t.Error(err)
	}
	if err := server.Status().Patch(t.Context(), existing, merge(`{"status":{"a":2}}`)); err != nil {
		t.Error(err)
	}
	if err := server.Delete(t.Context(), existing); err != nil {
		t.Error(err)
	}
	if err := server.Patch(t.Context(), existing, merge(`{"metadata":{"finalizers":null}}`)); err != nil {
		t.Error(err)
	}
}
