package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
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
		kind := map[string]string{"application/apply-patch+yaml": "apply", "application/apply-patch+cbor": "apply", "application/merge-patch+json": "merge"}[request.Header.Get("Content-Type")]
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

// subject is one child on a server.
type subject struct {
	*server
	*Applier
	memo *Memo
	now  time.Time
	like client.Object // of the kind
	wish Desired       // what is not in an object: strategy, policies

	applied bool // the child is made by an apply
}

// child is a child of the kind that an object has.
func (s *server) child(like client.Object, wish Desired) *subject {
	s.t.Helper()
	gvk, err := apiutil.GVKForObject(like, clientgoscheme.Scheme)
	if err != nil {
		s.t.Fatal(err)
	}
	wish.Kind, wish.Owner = gvk, s.owner.UID
	if wish.Strategy == "" {
		wish.Strategy = InPlace
	}
	wish.HashKey = hashKey
	wish.Name = types.NamespacedName{Namespace: s.namespace, Name: like.GetName()}
	applier := &Applier{Client: s.counted, Live: s.counted, Manager: manager, ParentOf: parentOf}
	applier.New = func() client.Object {
		if u, ok := like.(*unstructured.Unstructured); ok {
			empty := new(unstructured.Unstructured)
			empty.SetGroupVersionKind(u.GroupVersionKind())
			return empty
		}
		empty, err := clientgoscheme.Scheme.New(gvk)
		if err != nil {
			s.t.Fatal(err)
		}
		return empty.(client.Object)
	}
	return &subject{server: s, Applier: applier, memo: new(Memo), now: time.Unix(1e9, 0), like: like, wish: wish}
}

func parentOf(object client.Object) (types.UID, string) {
	if ref := metav1.GetControllerOf(object); ref != nil {
		return ref.UID, ref.Name
	}
	return "", ""
}

// restart loses what is remembered.
func (c *subject) restart() { c.memo = new(Memo) }

// live returns the child as somebody else reads it; nil when there is none.
func (c *subject) live() client.Object {
	c.t.Helper()
	object := c.New()
	err := c.Get(c.t.Context(), c.wish.Name, object)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return object
}

// cached returns the child as a cache shows it: with our field managers only.
func (c *subject) cached() client.Object {
	c.t.Helper()
	object := c.live()
	if object == nil {
		return nil
	}
	if c.Metadata {
		object = metadataOf(object)
	}
	trimmed, err := NewTrimmer().Trim(object)
	if err != nil {
		c.t.Fatal(err)
	}
	return trimmed.(client.Object)
}

func (c *subject) desired(object any) Desired {
	c.t.Helper()
	content, err := Canonical(object)
	if err != nil {
		c.t.Fatal(err)
	}
	child(content, "metadata")["ownerReferences"] = []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "name": c.owner.Name, "uid": string(c.owner.UID), "controller": true, "blockOwnerDeletion": true,
	}}
	d, err := NewDesired(c.wish, content)
	if err != nil {
		c.t.Fatal(err)
	}
	d.Source = sourceOf(object)
	return d
}

// sourceOf is the object that a plain create may send as it is.
func sourceOf(object any) client.Object {
	source, ok := object.(client.Object)
	if _, dynamic := object.(runtime.Unstructured); !ok || dynamic {
		return nil
	}
	if secret, ok := object.(*corev1.Secret); ok && len(secret.StringData) > 0 {
		return nil
	}
	return source
}

// pass brings the child to a desired state, as one pass of an operator does.
func (c *subject) pass(object any) (Outcome, error) {
	c.t.Helper()
	d, live := c.desired(object), c.cached()
	if c.applied && live == nil {
		return c.make(d)
	}
	if d.Source == nil {
		return c.Do(c.t.Context(), c.now, c.memo, d, live)
	}
	before := d.Source.DeepCopyObject()
	defer func() {
		if !reflect.DeepEqual(d.Source, before) {
			c.t.Errorf("the author's object has changed: %v, was %v", d.Source, before)
		}
	}()
	return c.Do(c.t.Context(), c.now, c.memo, d, live)
}

// make makes the child by an apply. It looks then as one that was adopted, or has
// been changed since it was created.
func (c *subject) make(d Desired) (Outcome, error) {
	c.t.Helper()
	object, err := c.patch(c.t.Context(), d, "resourceVersion", "1")
	if err != nil {
		c.t.Fatal(err)
	}
	if c.Metadata {
		object = metadataOf(object)
	}
	return Outcome{Action: Created, Object: object}, c.remember(c.memo, d, object)
}

// settle makes passes until one meets no write of the cluster's own controllers.
func (c *subject) settle(object any) Outcome {
	c.t.Helper()
	for range 20 {
		outcome, err := c.pass(object)
		if err == nil {
			return outcome
		}
		if !errors.As(err, new(ErrStale)) {
			c.t.Fatal(err)
		}
	}
	c.t.Fatal("the child never stays the same")
	return Outcome{}
}

// expect makes a pass that must do this, with these requests.
func (c *subject) expect(object any, action Action, requests string) Outcome {
	c.t.Helper()
	c.made()
	outcome, err := c.pass(object)
	for tries := 0; errors.As(err, new(ErrStale)) && tries < 20; tries++ { // the cluster's own controllers wrote to it
		c.made()
		outcome, err = c.pass(object)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if outcome.Action != action {
		c.t.Errorf("the child is %s, want %s", outcome.Action, action)
	}
	if made := c.made(); made != requests {
		c.t.Errorf("requests: %q, want %q", made, requests)
	}
	return outcome
}

// edit changes the child as somebody else.
func (c *subject) edit(manager string, change func(client.Object)) {
	c.t.Helper()
	for {
		object := c.live()
		change(object)
		err := c.Update(c.t.Context(), object, client.FieldOwner(manager))
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			c.t.Fatal(err)
		}
	}
}
