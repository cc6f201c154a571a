package related

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// server is a real API server with a namespace of the test, and the watches of a process.
type server struct {
	client.Client
	t         *testing.T
	namespace string
	watches   *Watches
	lists     *gate
	running   sync.WaitGroup

	mu      sync.Mutex
	handled []types.NamespacedName
	added   []cache.Cache   // to be started
	started context.Context // nil before the start
}

// gate holds requests for lists and watches back until it is open.
type gate struct {
	next http.RoundTripper
	open chan struct{}
}

func (g *gate) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/configmaps") {
		select {
		case <-g.open:
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
	return g.next.RoundTrip(request)
}

// startServer returns a server whose watches are of this user; empty: of an administrator.
func startServer(t *testing.T, user string) *server {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	t.Parallel()
	log.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, lists: &gate{open: make(chan struct{})}}
	if s.Client, err = client.New(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "related-"}}
	if err := s.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Client.Delete(context.WithoutCancel(t.Context()), namespace) })
	s.namespace = namespace.Name
	limited := rest.CopyConfig(config)
	limited.Impersonate.UserName = user
	limited.Wrap(func(next http.RoundTripper) http.RoundTripper {
		s.lists.next = next
		return s.lists
	})
	s.watches = NewWatches(Caches{
		New: func(limit func(*cache.Options) error) (cache.Cache, error) {
			options := cache.Options{Mapper: s.RESTMapper(), Scheme: s.Scheme(), DefaultNamespaces: map[string]cache.Config{s.namespace: {}}}
			options.DefaultWatchErrorHandler = func(context.Context, *toolscache.Reflector, error) {}
			if err := limit(&options); err != nil {
				return nil, err
			}
			return cache.New(limited, options)
		},
		Add:  s.add,
		Trim: func(object any) (any, error) { return object, nil },
	})
	return s
}

// add starts a cache, or has the start do so.
func (s *server) add(added cache.Cache) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started == nil {
		s.added = append(s.added, added)
		return nil
	}
	s.running.Go(func() { _ = added.Start(s.started) })
	return nil
}

// start starts the watches, as a manager does.
func (s *server) start() {
	ctx, stop := context.WithCancel(s.t.Context())
	s.running.Go(func() { _ = s.watches.Start(ctx) })
	s.mu.Lock()
	s.started = ctx
	for _, added := range s.added {
		s.running.Go(func() { _ = added.Start(ctx) })
	}
	s.mu.Unlock()
	s.t.Cleanup(func() {
		stop()
		s.running.Wait()
	})
}

// selected returns the selected ConfigMaps, and an entry of which changes are recorded.
func (s *server) selected() (*Selected, *Index) {
	selected, entry := s.watches.Selected(configMaps, &corev1.ConfigMap{}, s.Client), NewIndex()
	selected.Handle(entry, func(parent types.NamespacedName) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handled = append(s.handled, parent)
	})
	return selected, entry
}

// hears waits until a parent was handled.
func (s *server) hears(parent types.NamespacedName) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		isHandled := slices.Contains(s.handled, parent)
		s.mu.Unlock()
		if isHandled {
			return
		}
	}
	s.t.Fatalf("%s does not hear of a change", parent)
}

// A parent may read a name live while the first list of metadata takes long. What changes until the list is there
// is compared with what the parent has read.
func TestAChangeDuringTheFirstListOfMetadataIsHeard(t *testing.T) {
	s := startServer(t, "")
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "a"}}
	if err := s.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	selected, entry := s.selected()
	if err := selected.WatchMetadata(); err != nil { // for another entry, before the start
		t.Fatal(err)
	}
	s.start()
	queries, parent := []Query{{Names: []string{"a"}, Namespaces: []string{s.namespace}}}, nameOf("parent")
	entry.Set(parent, queries)
	if read, err := selected.Read(t.Context(), entry, parent, queries); err != nil || len(read) != 1 {
		t.Fatal(read, err)
	}
	object.Data = map[string]string{"key": "2"}
	if err := s.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	close(s.lists.open)
	s.hears(parent)
	read, err := selected.Read(t.Context(), entry, parent, queries)
	if err != nil || len(read) != 1 || read[0].(*corev1.ConfigMap).Data["key"] != "2" {
		t.Error(read, err)
	}
}

// Parents whose objects could not be listed are reconciled when the right comes, also if nothing
// matches their selector.
func TestParentsHearThatARightCame(t *testing.T) {
	s := startServer(t, "related-without-rights")
	close(s.lists.open)
	s.start()
	selected, entry := s.selected()
	parent, queries := nameOf("parent"), []Query{{Selector: labels.SelectorFromSet(labels.Set{"of": "nobody"}), Namespaces: []string{s.namespace}}}
	entry.Set(parent, queries)
	read := func() error {
		_, err := selected.Read(t.Context(), entry, parent, queries)
		return err
	}
	for end := time.Now().Add(time.Minute); !errors.As(read(), new(ErrUnwatched)); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the missing right is not noticed:", read())
		}
	}
	s.hears(parent) // that the watch cannot be opened
	_ = read()      // as its next reconcile does
	s.mu.Lock()
	s.handled = nil
	s.mu.Unlock()
	rights := metav1.ObjectMeta{Namespace: s.namespace, Name: "reader"}
	role := &rbacv1.Role{ObjectMeta: rights, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: rights, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "related-without-rights"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := s.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	s.hears(parent)
	if err := read(); err != nil {
		t.Error(err)
	}
}
