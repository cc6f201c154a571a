package operator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// regional is an operator of some namespaces, whose requests are counted.
type regional struct {
	*fixture
	author *author
	log    lines
	mu     sync.Mutex
	paths  []string // of the requests for objects of a namespace, or of a kind that has some
	lists  map[string]int
}

// newRegional returns an operator that does not run yet.
func newRegional(t *testing.T, sync Function) *regional {
	t.Helper()
	return &regional{fixture: alone(t), author: &author{sync: sync}, lists: map[string]int{}}
}

// roundTrip counts the requests of the operator.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// count counts a request.
func (r *regional) count(request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, request.Method+" "+request.URL.Path)
	query := request.URL.Query()
	isStart := query.Get("watch") == "" || query.Get("sendInitialEvents") == "true" // a later watch goes on from a version
	isCache := isStart && !strings.Contains(request.Header.Get("Accept"), "PartialObjectMetadata")
	if _, after, found := strings.Cut(request.URL.Path, "/namespaces/"); found && request.Method == http.MethodGet && isCache && strings.Count(after, "/") == 1 {
		r.lists[after]++
	}
}

// run runs the operator in some namespaces, as a user or, without one, with all permissions. The function that it
// returns stops it.
func (r *regional) run(user string, namespaces ...string) (stop func()) {
	r.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		r.t.Fatal(err)
	}
	config.QPS, config.Impersonate.UserName = -1, user
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(request *http.Request) (*http.Response, error) { r.count(request); return next.RoundTrip(request) })
	})
	options := operator.Defaults()
	options.Namespaces, options.LeaderElectNamespace = namespaces, r.Namespace
	options.Logger = slog.New(slog.NewTextHandler(&r.log, nil))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, config, options, r.author.controllers) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				r.t.Errorf("the operator ended with %v", err)
			}
		})
	}
	r.t.Cleanup(stop)
	return stop
}

// place makes a namespace of the test's.
func (r *regional) place(suffix string) string {
	r.t.Helper()
	namespace := named(&corev1.Namespace{}, r.Namespace+suffix)
	r.Create(namespace)
	return namespace.Name
}

// siteIn returns a site in a namespace.
func siteIn(namespace, name, text string) *testapi.Site {
	s := site(name)
	s.Namespace, s.Spec.Text = namespace, text
	return s
}

// siteAt makes a Site in a namespace.
func (r *regional) siteAt(namespace string) *testapi.Site {
	r.t.Helper()
	made := siteIn(namespace, "web", "hello")
	r.Create(made)
	return made
}

// logs waits until the log has a part.
func (r *regional) logs(part string) {
	r.t.Helper()
	r.Eventually("the log says "+part, func() error {
		if r.log.count(part) == 0 {
			return errors.New("it does not")
		}
		return nil
	})
}

// A tenant of a namespace that is not in the list gets no attention at all, and costs no request.
func TestOperatorOfSeveralNamespacesListsNoOther(t *testing.T) {
	r := newRegional(t, desireWeb)
	first, second, third := r.Namespace, r.place("-b"), r.place("-c")
	r.run("", second, first)
	ignored := r.siteAt(third)
	r.siteAt(first)
	r.siteAt(second)
	r.Exists(distant(first, "web", ""), distant(second, "web", ""))
	if r.Get(distant(third, "web", "")) {
		t.Error("a child was made in a namespace that is not in the list")
	}
	if r.Get(ignored); len(ignored.Status.Conditions) > 0 || len(ignored.Finalizers) > 0 {
		t.Errorf("a parent in a namespace that is not in the list was written: %+v", ignored)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range r.paths {
		if strings.Contains(path, third) {
			t.Errorf("a request about a namespace that is not in the list: %s", path)
		}
		resource := path[strings.LastIndex(path, "/")+1:]
		if !strings.Contains(path, "/namespaces/") && slices.Contains([]string{"sites", "configmaps", "secrets", "services", "pods", "serviceaccounts", "events"}, resource) {
			t.Errorf("a request for all namespaces: %s", path)
		}
	}
	for _, namespace := range []string{first, second} {
		for _, resource := range []string{"sites", "configmaps", "secrets", "services", "pods", "serviceaccounts"} {
			if lists := r.lists[namespace+"/"+resource]; lists != 1 {
				t.Errorf("%d lists of %s in %s, want 1", lists, resource, namespace)
			}
		}
	}
	if len(r.lists) != 12 {
		t.Errorf("lists are %v, want 6 in each of two namespaces", r.lists)
	}
	if want := fmt.Sprintf("namespaces=%s,%s", second, first); r.log.count(want) != 1 {
		t.Errorf("the log does not say %s", want)
	}
}

// A namespace of the list may be made after the operator has started, if its permissions are there.
func TestNamespaceOfTheListThatIsMadeLater(t *testing.T) {
	r := newRegional(t, desireWeb)
	later := r.Namespace + "-b"
	r.run("", r.Namespace, later)
	r.siteAt(r.Namespace)
	r.Exists(distant(r.Namespace, "web", ""))
	r.place("-b")
	r.siteAt(later)
	child := distant(later, "web", "")
	r.Exists(child)
	r.Update(child, func() { child.Data["key"] = "drifted" })
	r.Eventually("drift there is repaired", func() error { return expectValue(r.Cluster, child, "one") })
}

// A namespace without a Role: the operator names it, and goes on without a restart once the Role is there. Nothing is
// done on a view of some of the namespaces.
func TestNamespaceOfTheListWithoutARole(t *testing.T) {
	r := newRegional(t, desireWeb)
	second, user := r.place("-b"), r.Namespace+"-user"
	r.grant(user, r.Namespace, "", "test.opgen.dev", "events.k8s.io")
	r.run(user, r.Namespace, second)
	here := r.siteAt(r.Namespace)
	r.logs(`in the namespace \"` + second)
	r.logs("make deploy applies the generated role, unless namespace " + second + " is being deleted")
	if r.log.count(`in the namespace \"`+r.Namespace+`\"`) > 0 {
		t.Error("the log names the namespace that has its Role")
	}
	r.grant(user, second, "", "test.opgen.dev", "events.k8s.io")
	there := r.siteAt(second)
	r.Exists(distant(r.Namespace, "web", ""), distant(second, "web", ""))
	r.Delete(here, there)
	r.Gone(here, there, distant(r.Namespace, "web", ""), distant(second, "web", ""))
}

// A tenant of one namespace reaches no other one of the list, unless the spec file allows it; and then no further.
func TestChildrenInOtherNamespacesOfTheList(t *testing.T) {
	r := newRegional(t, nil)
	second, third := r.place("-b"), r.place("-c")
	r.author.setSync(func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(distant(req.Parent.Spec.Text, req.Parent.Name, "one"))
		return &Response{Children: want}, nil
	})
	says := func(site *testapi.Site, part string) {
		t.Helper()
		r.Eventually("Ready says "+part, func() error {
			r.Get(site)
			condition := meta.FindStatusCondition(site.Status.Conditions, "Ready")
			if condition == nil || condition.ObservedGeneration != site.Generation || !strings.Contains(condition.Message, part) {
				return fmt.Errorf("conditions are %v", site.Status.Conditions)
			}
			return nil
		})
	}
	stop := r.run("", r.Namespace, second)
	site := r.siteAt(r.Namespace)
	r.Update(site, func() { site.Spec.Text = second })
	says(site, second+"/web lies outside of its parent's namespace")
	stop()
	r.author.alter = func(d *siteDefinition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			return inNamespaces(kinds(observed, desired), operator.AllNamespaces)
		}
	}
	stop = r.run("", r.Namespace, second)
	r.Exists(distant(second, "web", ""))
	r.Update(site, func() { site.Spec.Text = third })
	says(site, fmt.Sprintf("ConfigMap %s/web is outside of the namespaces that the operator works in: %s, %s", third, r.Namespace, second))
	if r.Get(distant(third, "web", "")) {
		t.Error("a child was made outside of the list")
	}

	// A parent whose namespace is taken off the list keeps its children and its finalizer until it is on the list again.
	r.Update(site, func() { site.Spec.Text = second })
	says(site, allReady)
	r.Exists(distant(second, "web", ""))
	stop()
	stop = r.run("", second)
	r.Delete(site)
	other := siteIn(second, "other", second)
	r.Create(other)
	r.Exists(distant(second, "other", "")) // the operator works
	if !r.Get(site) || !r.Get(distant(second, "web", "")) {
		t.Error("the parent or its child is gone, and its namespace is not on the list")
	}
	stop()
	r.run("", r.Namespace, second)
	r.Gone(site, distant(second, "web", ""))
	r.Exists(distant(second, "other", ""))
}

// A process whose list has errors does not start: an empty name would stand for all namespaces.
func TestErrorsInAListOfNamespaces(t *testing.T) {
	options := operator.Defaults()
	options.Namespaces, options.Logger = []string{"web", "", "Web"}, slog.New(slog.NewTextHandler(new(bytes.Buffer), nil))
	err := operator.Run(t.Context(), &rest.Config{Host: "http://127.0.0.1:1"}, options, nil)
	want := "namespaces of the operator: a name is empty\n\"Web\" is not the name of a namespace"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
