package operator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

// siteLabel is the label of the children of a Site.
const siteLabel = "test.opgen.dev/site"

// formerManager is the field manager of an operator that another one replaces.
const formerManager = "site-manager"

// madeFor creates an object as the former operator does: for a parent, which is its controller.
func (f *fixture) madeFor(parent client.Object, manager string, objects ...client.Object) {
	f.t.Helper()
	for _, object := range objects {
		object.SetNamespace(f.Namespace)
		if err := controllerutil.SetControllerReference(parent, object, f.Client.Scheme()); err != nil {
			f.t.Fatal(err)
		}
		if err := f.Client.Create(f.t.Context(), object, client.FieldOwner(manager)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// successor is an operator that replaces another one.
type successor struct {
	*replica
	log     lines
	mu      sync.Mutex
	lists   []string // of the live lists of metadata that it made
	refuses string   // the resource whose live lists it is refused
}

// succeed starts an operator that replaces another one.
func (f *fixture) succeed(a *author) *successor {
	f.t.Helper()
	s := new(successor)
	s.replica = f.replicaWith(a, func(settings *process.Settings) {
		settings.LeaderElect = false
		settings.Logger = slog.New(slog.NewTextHandler(&s.log, nil))
	}, func(config *rest.Config) {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return listing{next, s} })
	})
	return s
}

// listing is a transport that records live lists of metadata, and refuses some.
type listing struct {
	next http.RoundTripper
	s    *successor
}

func (t listing) RoundTrip(request *http.Request) (*http.Response, error) {
	query, resource := request.URL.Query(), request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
	if request.Method != http.MethodGet || query.Get("limit") != "500" || query.Get("labelSelector") != "" || !strings.Contains(request.Header.Get("Accept"), "PartialObjectMetadataList") {
		return t.next.RoundTrip(request)
	}
	t.s.mu.Lock()
	t.s.lists = append(t.s.lists, resource)
	isRefused := t.s.refuses == resource
	t.s.mu.Unlock()
	if !isRefused {
		return t.next.RoundTrip(request)
	}
	body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"` + resource + ` is forbidden","code":403}`
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

// end stops the operator.
func (s *successor) end(t *testing.T) {
	t.Helper()
	s.stop()
	if err := s.ends(t); err != nil {
		t.Error(err)
	}
}

func (s *successor) listed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.lists))
}

func (s *successor) refuse(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = resource
}

// hasMarks reports whether an object has the label of a child of a Site.
func (f *fixture) hasMarks(object client.Object, site *testapi.Site) bool {
	f.t.Helper()
	return f.Get(object) && object.GetLabels()[siteLabel] == string(site.UID)
}

// sawFirst returns a Sync that keeps a password which exists, and desires a ConfigMap. It sends what
// each call sees.
func sawFirst(seen chan<- string) Function {
	return func(_ context.Context, req *Request) (*Response, error) {
		var names []string
		for object := range req.Children.ConfigMaps.All() {
			names = append(names, object.Name)
		}
		slices.Sort(names)
		password := []byte("a new one")
		if secret, ok := req.Children.Secrets.Get("web"); ok {
			password = secret.Data["password"]
		}
		seen <- fmt.Sprintf("%s %s %s", req.Parent.Name, names, password)
		want := new(Desired)
		want.ConfigMaps.Add(configMap("web", "one"))
		want.Secrets.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": password}})
		return &Response{Children: want}, nil
	}
}

// meets waits until an operator has reconciled the Site since now.
func (f *fixture) meets(a *author) {
	f.t.Helper()
	f.pokes++
	poke := fmt.Sprintf("meet-%d", f.pokes)
	f.annotate(pokeKey, poke)
	f.Eventually("the Site is reconciled", func() error {
		if !a.saw(poke) {
			return errors.New("it is not")
		}
		return nil
	})
}

// before starts nothing, and makes a Site of which an operator is to take over what others have made.
func before(t *testing.T) *fixture {
	t.Helper()
	f := prepare(t, &author{sync: desire(func(*Desired) {})})
	f.Stop()
	f.Create(f.site)
	return f
}

func TestFirstCallOfSyncSeesWhatAnotherOperatorHasMade(t *testing.T) {
	f := before(t)
	elsewhere := site("elsewhere")
	f.Create(elsewhere)
	gone := site("web")
	gone.UID = types.UID("00000000-0000-4000-8000-000000000000")
	kept, secret, undesired := configMap("web", "one"), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte("old")}}, configMap("undesired", "")
	stranger, owned, ofEarlier := configMap("stranger", ""), configMap("owned", ""), configMap("of-an-earlier-parent", "")
	f.madeFor(f.site, formerManager, kept, secret)
	f.madeFor(f.site, "somebody", undesired)
	f.madeFor(elsewhere, formerManager, owned)
	f.madeFor(gone, formerManager, ofEarlier)
	f.Create(stranger)

	seen := make(chan string, 1000)
	s := f.succeed(&author{sync: sawFirst(seen)})
	f.status("Ready", "Ready")
	f.Gone(undesired)
	first := map[string]bool{<-seen: true, <-seen: true}
	for _, want := range []string{"web [undesired web] old", "elsewhere [owned] a new one"} {
		if !first[want] {
			t.Errorf("the first calls of Sync did not see %q, but %v", want, first)
		}
	}
	f.Exists(kept, secret, stranger)
	if !f.hasMarks(kept, f.site) || f.hasMarks(stranger, f.site) || f.Get(ofEarlier) && f.hasMarks(ofEarlier, f.site) {
		t.Errorf("labels are %v, of the stranger %v, of an earlier parent's %v", kept.Labels, stranger.Labels, ofEarlier.Labels)
	}
	if got, want := s.listed(), []string{"configmaps", "pods", "secrets", "serviceaccounts", "services"}; !slices.Equal(got, want) {
		t.Errorf("lists are %v, want one for each kind: %v", got, want)
	}
}

// What is new costs no list: neither a parent that is created later, nor a start over parents that this
// operator has reconciled.
func TestOnlyAStartOverParentsThatAreNewListsTheirChildren(t *testing.T) {
	f := before(t)
	a := &author{sync: desire(fiveChildren)}
	s := f.succeed(a)
	f.status("Ready", "Progressing")
	if lists := len(s.listed()); lists != 5 {
		t.Errorf("%d lists at the first start, want one for each of 5 kinds: %v", lists, s.listed())
	}
	later := site("later")
	a.setSync(desire(func(*Desired) {}))
	f.Create(later)
	f.Eventually("the new parent is reconciled", func() error {
		if !f.Get(later) || later.Status.ObservedGeneration == 0 {
			return errors.New("it is not")
		}
		return nil
	})
	f.Delete(later)
	f.Gone(later)
	f.meets(a)
	s.stop()
	if lists := s.listed(); len(lists) != 5 {
		t.Errorf("a new parent has lists made: %v", lists)
	}
	for _, from := range [][]string{nil, {formerManager}} {
		next := &author{sync: desire(func(*Desired) {}), alter: func(d *siteDefinition) { d.TakeOverFrom = from }}
		restarted := f.succeed(next)
		f.meets(next)
		restarted.stop()
		if lists, want := restarted.listed(), 5*len(from); len(lists) != want {
			t.Errorf("lists of a restart that takes over from %v are %v, want %d", from, lists, want)
		}
	}
}

// Sync is not called before each kind could be listed: it would make what exists once more. That holds
// after a restart, too, and for a parent that was paused.
func TestSyncIsNotCalledBeforeEachKindWasListed(t *testing.T) {
	f := before(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte("old")}}
	f.madeFor(f.site, formerManager, secret)
	f.annotate(pauseKey, "true")
	seen := make(chan string, 1000)
	var s *successor
	restart := func() {
		if s != nil {
			s.end(f.t)
		}
		s = f.succeed(&author{sync: sawFirst(seen)})
		s.refuse("secrets")
	}
	restart()
	f.status("Suspended", "Paused")
	restart()
	f.annotate(pauseKey, "")
	shown := f.status("Ready", "TakeoverFailed")
	if message := meta.FindStatusCondition(shown.Conditions, "Ready").Message; !strings.Contains(message, "list the objects of kind Secret") || !strings.Contains(message, "forbidden") {
		t.Errorf("the message is %q", message)
	}
	restart()
	f.Eventually("the list is refused again", func() error {
		if !slices.Contains(s.listed(), "secrets") {
			return fmt.Errorf("lists are %v", s.listed())
		}
		return nil
	})
	if len(seen) > 0 {
		t.Errorf("Sync was called: %s", <-seen)
	}
	s.refuse("")
	f.annotate(pokeKey, "now")
	f.status("Ready", "Ready")
	if first := <-seen; first != "web [] old" {
		t.Errorf("the first call of Sync saw %q", first)
	}
	f.Exists(secret)
}

// A former operator that still runs, and what it makes after the start, is not taken over: a new object
// that names the parent as its controller is no child until the next start.
func TestWhatIsMadeAfterTheStartIsNotTakenOver(t *testing.T) {
	f := before(t)
	a := &author{sync: sawFirst(make(chan string, 1000))}
	f.succeed(a)
	f.status("Ready", "Ready")
	late := configMap("late", "")
	f.madeFor(f.site, formerManager, late)
	f.meets(a)
	f.Exists(late)
	if f.hasMarks(late, f.site) {
		t.Error("it was taken over")
	}
}

// A definition whose operator writes no status cannot know which parents are new, and takes nothing over
// unless TakeOverFrom says from whom.
func TestOperatorWithoutAStatusTakesOverFromNamedManagersAlone(t *testing.T) {
	t.Parallel()
	for name, from := range map[string][]string{"nobody": nil, "the former": {formerManager}} {
		t.Run(name, func(t *testing.T) {
			f := before(t)
			old, stranger := configMap("old", ""), configMap("stranger", "")
			f.madeFor(f.site, formerManager, old)
			f.madeFor(f.site, "velero", stranger)
			a := &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }), alter: func(d *siteDefinition) {
				d.Status, d.Conditions, d.ObservedGeneration, d.TakeOverFrom = nil, nil, nil, from
			}}
			s := f.succeed(a)
			f.meets(a)
			f.Exists(configMap("web", ""))
			if from != nil {
				f.Gone(old)
			}
			if got, want := f.Get(old), from == nil; got != want {
				t.Errorf("the former operator's exists: %t, want %t", got, want)
			}
			f.Exists(stranger)
			if lists, want := len(s.listed()), 5*len(from); lists != want {
				t.Errorf("%d lists, want %d", lists, want)
			}
		})
	}
}
