package operator_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// What the caches hold lacks the field managers of others. The API server takes an
// object's managedFields for what they are from now on.
func TestAuthorsClientKeepsTheFieldManagersOfOthers(t *testing.T) {
	t.Parallel()
	type write func(context.Context, client.Client, *testapi.Site) error
	get := func(change func(*testapi.Site), send write) write {
		return func(ctx context.Context, c client.Client, site *testapi.Site) error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
				return err
			}
			change(site)
			return send(ctx, c, site)
		}
	}
	annotate := func(site *testapi.Site) { metav1.SetMetaDataAnnotation(&site.ObjectMeta, "author", "was here") }
	for name, write := range map[string]write{
		"update": get(annotate, func(ctx context.Context, c client.Client, site *testapi.Site) error { return c.Update(ctx, site) }),
		"update of the status": get(func(site *testapi.Site) { site.Status.Phase = "Authored" }, func(ctx context.Context, c client.Client, site *testapi.Site) error {
			return c.Status().Update(ctx, site)
		}),
		"update of a subresource": get(func(site *testapi.Site) { site.Status.Phase = "Authored" }, func(ctx context.Context, c client.Client, site *testapi.Site) error {
			return c.SubResource("status").Update(ctx, site)
		}),
		"apply": get(func(site *testapi.Site) { site.Status, site.ResourceVersion = testapi.Status{}, "" }, func(ctx context.Context, c client.Client, site *testapi.Site) error {
			annotate(site)
			site.SetGroupVersionKind(testapi.Version.WithKind("Site"))
			return c.Patch(ctx, site, client.Apply, client.FieldOwner("author"), client.ForceOwnership) //nolint:staticcheck // the form that takes an object
		}),
		"merge patch": func(ctx context.Context, c client.Client, site *testapi.Site) error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
				return err
			}
			before := site.DeepCopyObject().(client.Object)
			annotate(site)
			return c.Patch(ctx, site, client.MergeFrom(before))
		},
	} {
		t.Run(name, func(t *testing.T) {
			mgr, a := new(operator.Manager), &author{sync: desireWeb}
			a.manager = mgr
			f := start(t, a)
			f.status("Ready", "Ready")
			current := site(f.site.Name)
			f.Get(current)
			body, err := json.Marshal(map[string]any{"apiVersion": testapi.Version.String(), "kind": "Site", "metadata": map[string]any{"name": current.Name, "labels": map[string]string{"user": "wants-it"}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Client.Patch(t.Context(), current, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("user")); err != nil {
				t.Fatal(err)
			}
			f.reconcile()
			f.Settled()
			if err := write(t.Context(), (*mgr).GetClient(), current); err != nil {
				t.Fatal(err)
			}
			f.Get(current)
			var managers []string
			for _, entry := range current.ManagedFields {
				managers = append(managers, entry.Manager)
			}
			if all := strings.Join(managers, " "); !strings.Contains(all, "user") || !strings.Contains(all, "opgen/") {
				t.Errorf("the field managers are %s", all)
			}
			if current.Annotations["author"] == "" && !strings.HasPrefix(name, "update of") { // the operator has the last word on the status
				t.Error("the author's change is not there")
			}
		})
	}
}

// An object that Sync was given, written by a client that knows nothing of caches.
func TestWhatSyncIsGivenHasNoTrimmedFieldManagers(t *testing.T) {
	var mu sync.Mutex
	var seen []client.Object
	f := start(t, &author{sync: func(ctx context.Context, req *Request) (*Response, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, req.Parent)
		if child, ok := req.Children.ConfigMaps.Get("web"); ok {
			seen = append(seen, child)
		}
		for child := range req.Children.ConfigMaps.All() {
			seen = append(seen, child)
		}
		return desireWeb(ctx, req)
	}})
	f.status("Ready", "Ready")
	f.reconcile()
	mu.Lock()
	defer mu.Unlock()
	for _, object := range seen {
		if len(object.GetManagedFields()) > 0 {
			t.Errorf("%T has managedFields %v", object, object.GetManagedFields())
		}
	}
}

// reads notes the paths of all GET requests.
type reads struct {
	next http.RoundTripper
	*lines
}

func (r reads) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet {
		_, _ = r.Write([]byte(request.URL.String() + "\n"))
	}
	return r.next.RoundTrip(request)
}

func TestAuthorsClientWatchesNothing(t *testing.T) {
	mgr, a, asked := new(operator.Manager), &author{sync: desireWeb}, new(lines)
	a.manager = mgr
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Transport:   func(next http.RoundTripper) http.RoundTripper { return reads{next, asked} },
	})
	limits, site := named(&corev1.LimitRange{}, "limits"), site("read")
	cluster.Create(limits, site)
	cluster.Converged(site) // so that there is a manager
	c := (*mgr).GetClient()
	for range 2 {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(limits), &corev1.LimitRange{}); err != nil {
			t.Fatal(err)
		}
	}
	var list corev1.LimitRangeList
	if err := c.List(t.Context(), &list); err != nil || len(list.Items) != 1 {
		t.Errorf("a list has %d items of the operator's namespace, %v", len(list.Items), err)
	}
	before := asked.count("limitranges")
	if before == 0 || asked.count("limitranges/limits") != 2 {
		t.Errorf("it has read LimitRanges %d times", before)
	}
	for url := range strings.Lines(asked.String()) {
		if strings.Contains(url, "limitranges") && strings.Contains(url, "atch") {
			t.Errorf("it watches LimitRanges: %s", url)
		}
	}
	cluster.Settled()
	reads := asked.count("sites/read")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(site), site); err != nil {
		t.Fatal(err)
	}
	if asked.count("sites/read") != reads {
		t.Error("a parent is not read from the cache")
	}
}
