package operator_test

import (
	"context"
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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The life of a Site, with any of its writes going wrong, is the same as with none
// that does: every child is made once, and none is deleted that is to stay. The idea
// is that of Sieve (Sun et al., Automatic Reliability Testing for Cluster Management
// Controllers, OSDI 2022), on a real API server.
func TestAnyWriteMayGoWrong(t *testing.T) {
	calm := live(t)
	if calm.writes < 15 {
		t.Fatalf("the life of a Site took %d writes, so that this explores too few", calm.writes)
	}
	var runs, hits atomic.Int64
	t.Cleanup(func() {
		if hits.Load() < runs.Load()*9/10 { // the last of the writes do not always happen
			t.Errorf("only %d of %d times something went wrong", hits.Load(), runs.Load())
		}
	})
	for _, fault := range longtest.Cases(t, strikes(calm.writes), 10, "each is a life of its own") {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			runs.Add(1)
			struck := live(t, fault)
			only := func(string) bool { return true }
			if fault.What == operatortest.TimeTravel { // what only the past asks for is made, and pruned again
				only = func(child string) bool { return child == "a" || child == "web" && struck.young }
			}
			if struck.ever {
				hits.Add(1)
			}
			if refused := struck.refused(); fault.What == operatortest.DelayWatches && len(refused) > 0 {
				t.Errorf("a view that is late led to %v", refused)
			}
			expected, got := calm.did(only), struck.did(only)
			if last := "delete pods web"; fault.What == operatortest.TimeTravel && got[last] == expected[last]-1 {
				got[last]++ // a view that lags behind may show no Pod to Finalize, and then the garbage collector deletes it
			}
			if diff := operatortest.Diff(expected, got); diff != "" {
				t.Errorf("what was made and deleted (-with no fault +with this one):\n%s", diff)
			}
		})
	}
}

// strikes returns what goes wrong with which write: each kind strikes every other one, or each with OPGEN_EXPLORE=all.
func strikes(writes int) (faults []operatortest.Fault) {
	step := 2
	if os.Getenv("OPGEN_EXPLORE") == "all" {
		step = 1
	}
	for i, fault := range goesWrong() {
		for n := 1 + i%step; n <= writes; n += step {
			fault.Nth = n
			faults = append(faults, fault)
		}
	}
	return faults
}

// goesWrong returns what goes wrong with one write. Whatever it is, what happens
// in the cluster is seen late for a while.
func goesWrong() []operatortest.Fault {
	return []operatortest.Fault{
		{When: operatortest.Instead, What: operatortest.RefuseInternalError, Once: true},
		{When: operatortest.Instead, What: operatortest.RefuseConflict, Once: true},
		{When: operatortest.After, What: operatortest.Lose},
		{When: operatortest.After, What: operatortest.CutWatches},
		{When: operatortest.After, What: operatortest.Crash},
		{When: operatortest.After, What: operatortest.TimeTravel},
		{When: operatortest.Before, What: operatortest.DelayWatches},
	}
}

// life is what an operator has done for one Site.
type life struct {
	writes int  // that reached the API server, and could have gone wrong
	ever   bool // the fault struck
	young  bool // it did so before the Site was deleted
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
		isGone := request.Verb == "get" && request.Code == http.StatusNotFound // of a lost child
		isTaken := request.DryRun && request.Code == http.StatusConflict       // the new child would be accepted
		if request.Code >= http.StatusBadRequest && !isGone && !isTaken {
			refused = append(refused, request)
		}
	}
	return refused
}

// explorer is a Site and an operator that is started again when it has crashed.
type explorer struct{ *fixture }

// live leads a Site through its life, with a fault or none.
func live(t *testing.T, faults ...operatortest.Fault) life {
	e := explore(t, faults)
	e.Create(e.site)
	e.settles("2 one", "a", "b")
	e.MarkPast()

	kept := e.uid("a")
	e.Update(e.site, func() { e.site.Spec.Text = "two" })
	e.settles("2 two", "a", "c")
	if e.uid("a") != kept {
		t.Error("a child that was to stay was deleted")
	}
	e.Get(named(&corev1.ConfigMap{}, "c"))
	e.Delete(named(&corev1.ConfigMap{}, "a"))
	e.settles("2 two", "a", "c")
	young := e.struck(faults)
	e.Delete(e.site)
	e.Gone(e.site, named(&corev1.Pod{}, "web"))

	for _, note := range e.events() {
		if strings.Contains(note, "NameConflict") {
			t.Errorf("a child was taken for somebody else's: %s", note)
		}
	}
	return life{e.writes(), e.struck(faults), young, e.Requests()}
}

// writes counts those that faults count.
func (e *explorer) writes() (count int) {
	for _, request := range e.Sent() {
		if request.Verb != "get" && !request.DryRun && request.Resource != "events" {
			count++
		}
	}
	return count
}

// struck reports whether any of the faults has struck.
func (e *explorer) struck(faults []operatortest.Fault) bool {
	return slices.ContainsFunc(faults, func(fault operatortest.Fault) bool { return e.Struck(fault) > 0 })
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
	e.Eventually("the Site has converged with "+phase, func() error {
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

// often is when reconciles come, so that some meet a cache that is late.
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

// explore runs an operator of which watches are late when a fault strikes.
func explore(t *testing.T, faults []operatortest.Fault) *explorer {
	t.Helper()
	a := &author{sync: liveSync, finalize: liveFinalize}
	var all []operatortest.Fault
	for _, fault := range faults {
		late := operatortest.Fault{Verb: fault.Verb, Resource: fault.Resource, Nth: fault.Nth, When: operatortest.Before, What: operatortest.DelayWatches}
		if all = append(all, fault); fault != late {
			all = append(all, late)
		}
	}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Faults:      all,
	})
	e := &explorer{&fixture{Cluster: cluster, author: a, t: t, site: site("web")}}
	e.site.Spec.Text = "one"
	return e
}
