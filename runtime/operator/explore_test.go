package operator_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The life of a Site, with any of its writes going wrong, is the same as with none
// that does: every child is made once, and none is deleted that is to stay. The idea
// is that of Sieve (Sun et al., Automatic Reliability Testing for Cluster Management
// Controllers, OSDI 2022), on a real API server.
func TestAnyWriteMayGoWrong(t *testing.T) {
	calm := live(t, "", 0)
	if calm.writes < 15 {
		t.Fatalf("the life of a Site took %d writes, so that this explores too few", calm.writes)
	}
	var runs, hits atomic.Int64
	t.Cleanup(func() {
		if hits.Load() < runs.Load()*9/10 { // the last of the writes do not always happen
			t.Errorf("only %d of %d times something went wrong", hits.Load(), runs.Load())
		}
	})
	step := 2 // each kind strikes every other write, to save time
	if os.Getenv("OPGEN_EXPLORE") == "all" {
		step = 1
	}
	for i, what := range []fault{fails, conflicts, lost, cut, crash, travel, late} {
		for n := 1 + i%step; n <= calm.writes; n += step {
			t.Run(fmt.Sprintf("%s/%d", what, n), func(t *testing.T) {
				t.Parallel()
				runs.Add(1)
				struck := live(t, what, n)
				only := func(string) bool { return true }
				if what == travel { // what only the past asks for is made, and pruned again
					only = func(child string) bool { return child == "a" || child == "web" && n <= struck.young }
				}
				if struck.writes >= n {
					hits.Add(1)
				}
				if refused := struck.refused(); what == late && len(refused) > 0 {
					t.Errorf("a view that is late led to %v", refused)
				}
				expected, got := calm.did(only), struck.did(only)
				if last := "delete pods web"; what == travel && got[last] == expected[last]-1 {
					got[last]++ // a view that lags behind may show no Pod to Finalize, and then the garbage collector deletes it
				}
				if diff := operatortest.Diff(expected, got); diff != "" {
					t.Errorf("what was made and deleted (-with no fault +with this one):\n%s", diff)
				}
			})
		}
	}
}

// life is what an operator has done for one Site.
type life struct {
	writes int // that could have gone wrong
	young  int // of these, those before the Site was deleted
	done   []operatortest.Request
}

// did counts the children made and deleted.
func (l life) did(only func(child string) bool) map[string]int {
	done := map[string]int{}
	for _, request := range l.done {
		child := request.Resource == "configmaps" || request.Resource == "pods"
		if child && (request.Verb == "create" || request.Verb == "delete") && request.Code < http.StatusBadRequest && only(request.Name) {
			done[request.Verb+" "+request.Resource+" "+request.Name]++
		}
	}
	return done
}

// refused returns the requests that the API server did not carry out.
func (l life) refused() (refused []operatortest.Request) {
	for _, request := range l.done {
		if request.Code >= http.StatusBadRequest {
			refused = append(refused, request)
		}
	}
	return refused
}

// explorer is a Site and an operator that is started again when it has crashed.
type explorer struct {
	*fixture
	faults *faults
	past   atomic.Value // the resource version when the Site was young
}

// live leads a Site through its life.
func live(t *testing.T, what fault, nth int) life {
	e := explore(t, what, nth)
	e.Create(e.site)
	e.settles("2 one", "a", "b")
	e.past.Store(e.site.ResourceVersion)

	kept := e.uid("a")
	e.Update(e.site, func() { e.site.Spec.Text = "two" })
	e.settles("2 two", "a", "c")
	if e.uid("a") != kept {
		t.Error("a child that was to stay was deleted")
	}
	e.Get(named(&corev1.ConfigMap{}, "c"))
	e.Delete(named(&corev1.ConfigMap{}, "a"))
	e.settles("2 two", "a", "c")
	young := e.faults.count()
	e.Delete(e.site)
	e.Gone(e.site, named(&corev1.Pod{}, "web"))

	for _, note := range e.events() {
		if strings.Contains(note, "NameTaken") {
			t.Errorf("a child was taken for somebody else's: %s", note)
		}
	}
	return life{e.faults.count(), young, e.Requests()}
}

func (e *explorer) uid(name string) string {
	child := named(&corev1.ConfigMap{}, name)
	e.Get(child)
	return string(child.UID)
}

// settles waits until the Site and its children are as they are to be.
func (e *explorer) settles(phase string, names ...string) {
	e.t.Helper()
	text := phase[len("2 "):]
	e.Eventually("the Site is at rest with "+phase, func() error {
		e.Get(e.site)
		if status := e.site.Status; status.Phase != phase || status.ObservedGeneration != e.site.Generation {
			return fmt.Errorf("status is %+v", status)
		}
		var list corev1.ConfigMapList
		if err := e.Client.List(e.t.Context(), &list, client.InNamespace(e.Namespace)); err != nil {
			return err
		}
		found := map[string]string{}
		for _, child := range list.Items {
			if metav1.IsControlledBy(&child, e.site) {
				found[child.Name] = child.Data["key"]
			}
		}
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, names) {
			return fmt.Errorf("children are %q", got)
		}
		pod := named(&corev1.Pod{}, "web")
		if !e.Get(pod) || pod.DeletionTimestamp != nil || pod.Spec.Containers[0].Image != text || found[names[0]] != text {
			return fmt.Errorf("children are %v, and a Pod of %v", found, pod.Spec.Containers)
		}
		return nil
	})
}

// often is when passes come, so that some meet a cache that is late.
const often = 20 * time.Millisecond

// liveSync tells in the status what it observes.
func liveSync(_ context.Context, req *Request) (*Response, error) {
	text := req.Parent.Spec.Text
	want := new(Desired)
	want.ConfigMaps.Add(configMap("a", text))
	want.ConfigMaps.Add(configMap(map[string]string{"one": "b", "two": "c"}[text], text))
	want.Pods.Add(pod("web", text))
	return &Response{Children: want, Status: &testapi.Status{Phase: fmt.Sprintf("%d %s", req.Children.ConfigMaps.Len(), text)}, RequeueAfter: often}, nil
}

func liveFinalize(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	for child := range req.Children.ConfigMaps.All() {
		want.ConfigMaps.Keep(child.Name)
	}
	return &Response{Children: want, Finalized: req.Children.Pods.Len() == 0, RequeueAfter: often}, nil
}

func explore(t *testing.T, what fault, nth int) *explorer {
	t.Helper()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	})
	e := &explorer{fixture: &fixture{Cluster: cluster, author: &author{sync: liveSync, finalize: liveFinalize}, t: t, site: site("web")}}
	e.site.Spec.Text = "one"
	e.faults = &faults{what: what, nth: nth, crashed: make(chan struct{})}
	stopped := e.run(e.faults)
	t.Cleanup(func() { stopped() })
	return e
}

// run runs the operator until it is stopped, and another one if it crashes.
func (e *explorer) run(f *faults) (stop func()) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		e.t.Error(err)
		return func() {}
	}
	config.QPS, config.UserAgent = -1, fmt.Sprintf("operatortest (%s)", e.Namespace)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { f.next = next; return f })
	options := operator.Defaults()
	options.Namespace = e.Namespace
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, config, options, e.controllers) }()
	following := make(chan func(), 1)
	go func() {
		select {
		case <-f.crashed:
			cancel()
			if err := <-ended; err != nil {
				e.t.Logf("the operator crashed: %v", err)
			}
			next := &faults{crashed: make(chan struct{})}
			if f.what == travel {
				next.past, _ = e.past.Load().(string)
				next.silent = time.Now().Add(2 * lag)
			}
			following <- e.run(next)
		case <-ctx.Done():
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				e.t.Errorf("the operator ended with: %v", err)
			}
			following <- func() {}
		}
	}()
	return func() {
		cancel()
		(<-following)()
	}
}
