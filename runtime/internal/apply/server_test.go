package apply

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// server is a real API server, and a parent with a namespace of its own on it.
type server struct {
	client.Client // of someone else, not counted
	t             *testing.T
	namespace     string
	owner         *corev1.ConfigMap
	counted       client.Client // the operator's

	mu       sync.Mutex
	requests []string
}

const hashKey = "apply.opgen.dev/desired-hash"

// silence discards what controller-runtime logs.
var silence = sync.OnceFunc(func() { log.SetLogger(logr.Discard()) })

func startServer(t *testing.T) *server {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	t.Parallel()
	silence()
	s := &server{t: t}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	if s.Client, err = client.New(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return recorder{next, s} })
	if s.counted, err = client.New(config, client.Options{Mapper: s.RESTMapper()}); err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "applytest-"}}
	if err := s.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s.namespace = namespace.Name
	s.installCRDs()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		s.endJobs(ctx)
		if err := s.Client.Delete(ctx, namespace); err != nil {
			t.Error(err)
		}
	})
	s.owner = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "owner"}}
	if err := s.Create(t.Context(), s.owner); err != nil {
		t.Fatal(err)
	}
	return s
}

// installCRDs installs the CRDs of testdata, and waits until they are served.
func (s *server) installCRDs() {
	s.t.Helper()
	data, err := os.ReadFile("testdata/crds.yaml")
	if err != nil {
		s.t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName("gadgets.apply.opgen.dev")
	if err := s.Patch(s.t.Context(), crd, client.RawPatch(types.ApplyPatchType, data), client.FieldOwner("applytest"), client.ForceOwnership); err != nil {
		s.t.Fatal(err)
	}
	for range 1000 {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("apply.opgen.dev/v1")
		list.SetKind("GadgetList")
		if s.List(s.t.Context(), list, client.InNamespace(s.namespace)) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("the API server does not serve the CRD")
}

// recorder notes the requests of a client.
type recorder struct {
	next http.RoundTripper
	s    *server
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil {
		kind := map[string]string{"application/apply-patch+yaml": "apply", "application/apply-patch+cbor": "apply", "application/merge-patch+json": "merge", "application/json-patch+json": "json-patch"}[request.Header.Get("Content-Type")]
		if kind == "" {
			kind = strings.ToLower(request.Method)
		}
		if request.URL.Query().Get("dryRun") != "" {
			kind = "dry " + kind
		}
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.requests = append(r.s.requests, fmt.Sprintf("%s %d", kind, response.StatusCode))
	}
	return response, err
}

// made returns the requests since it was last called.
func (s *server) made() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.requests = nil }()
	return strings.Join(s.requests, ", ")
}
