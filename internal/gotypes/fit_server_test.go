package gotypes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/clientcmd"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestServerStoresWhatTypesRead is TestSchemasFitTypes for a few types against a real API server. The
// server must accept what its code accepts, and each object that it stores must decode.
func TestServerStoresWhatTypesRead(t *testing.T) {
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	longtest.Skip(t, "five CRDs are created, and 125 objects")
	log.SetLogger(logr.Discard())
	var cases []typesCase
	for i := range 6 {
		cases = append(cases, typesCase{versionName(i), withTags(rapid.Custom(randomTypes).Example(7000 + i))})
	}
	read := readAll(t, cases)
	var fitting []typesCase
	for _, c := range cases {
		if len(read.problems[c.name]) == 0 {
			fitting = append(fitting, typesCase{versionName(len(fitting)), c.source})
		}
	}
	read = readAll(t, fitting)
	f := newFit(t, fitting, read)
	server := newServer(t, path)
	r := rand.New(rand.NewPCG(7, 0))
	var stored []exchange
	accepted, refused := 0, 0
	for _, c := range fitting {
		kind := createKind(t, server, c.name, read)
		schema := f.crds[c.name].Properties["spec"]
		for i := range 25 {
			value, err := json.Marshal(drawValue(r, &schema, 0))
			if err != nil {
				t.Fatal(err)
			}
			object := objectOf(t, kind, fmt.Sprintf("a-%d", i), value)
			errs := f.accepted(c.name, value)
			switch err := server.create(t, object); {
			case (err == nil) != (len(errs) == 0):
				t.Errorf("the API server says %v, and its code %v, of %s in %s", err, errs, value, c.source)
			case err == nil:
				accepted++
				content, err := json.Marshal(object.Object["spec"])
				if err != nil {
					t.Fatal(err)
				}
				stored = append(stored, exchange{Case: c.name, Value: content})
			default:
				refused++
			}
		}
	}
	for i, answer := range f.run(stored) {
		if answer.Error != "" {
			t.Errorf("Go does not read what the API server stores: %s: %s", answer.Error, stored[i].Value)
		}
	}
	t.Logf("%d types, %d values stored, %d refused", len(fitting), accepted, refused)
	if accepted < 20 || refused < 20 {
		t.Error("too few to tell")
	}
}

type server struct{ client.Client }

func newServer(t *testing.T, path string) server {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := apiextv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return server{c}
}

// create creates an object; as long as its kind is not served yet, it tries again.
func (s server) create(t *testing.T, object *unstructured.Unstructured) error {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := s.Create(t.Context(), object)
		if unserved := apierrors.IsNotFound(err) || meta.IsNoMatchError(err); !unserved || time.Now().After(deadline) {
			return err
		}
	}
}

// createKind creates the CRD of a case in a group of its own.
func createKind(t *testing.T, s server, name string, read readCases) map[string]any {
	t.Helper()
	crd, problems := crdgen.CRD(read.apis[name], spec.DefaultMinKubernetes)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	crd.Spec.Group = fmt.Sprintf("%s-%d.fit.example.com", name, time.Now().UnixNano())
	crd.Name = crd.Spec.Names.Plural + "." + crd.Spec.Group
	if err := s.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Delete(context.Background(), crd); err != nil {
			t.Error(err)
		}
	})
	return map[string]any{"apiVersion": crd.Spec.Group + "/" + name, "kind": crd.Spec.Names.Kind}
}

func objectOf(t *testing.T, kind map[string]any, name string, value []byte) *unstructured.Unstructured {
	t.Helper()
	var content any
	if err := kjson.Unmarshal(value, &content); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind["apiVersion"], "kind": kind["kind"], "metadata": map[string]any{"namespace": "default", "name": name}, "spec": content,
	}}
}
