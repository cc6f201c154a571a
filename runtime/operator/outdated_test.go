package operator_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// Children with OnDelete that lack a change wait for somebody, who has to learn of it.
func TestReadyNamesChildrenThatAreOutdated(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	desiring := func(value string) Function {
		return desire(func(want *Desired) {
			for _, name := range names {
				want.ConfigMaps.Add(configMap(name, value), operator.OnDelete)
			}
			want.ConfigMaps.Add(configMap("other", value), operator.CreateOnly)
		})
	}
	f := start(t, &author{sync: desiring("one")})
	f.status("Ready", "Ready")
	before := f.Settled()
	f.setSync(desiring("two"))
	f.reconcile()
	expect := func(message string) {
		t.Helper()
		f.Settled()
		ready := meta.FindStatusCondition(f.status("Ready", "Outdated").Conditions, "Ready")
		if ready.Status != "True" || ready.Message != message {
			t.Errorf("Ready is %+v, want the message %q", ready, message)
		}
	}
	at := func(name string) string { return "ConfigMap " + f.Namespace + "/" + name }
	expect("every child is ready; outdated until somebody deletes them (OnDelete): " + at("a") + "; " + at("b") + "; " + at("c") + "; and 1 more")
	f.expectRequests(before, "patch sites/status web: 200")
	f.Converged(f.site)

	before = f.Settled()
	f.Restart() // which must know it without a request
	f.Reconciled(f.site)
	f.expectRequests(before)
	f.status("Ready", "Outdated")

	for _, name := range names[:3] {
		f.Delete(configMap(name, ""))
		f.Eventually("it has the change", func() error { return expectValue(f.Cluster, configMap(name, ""), "two") })
	}
	expect("every child is ready; outdated until somebody deletes them (OnDelete): " + at("d"))
	f.setSync(desiring("one")) // the change is taken back for d, and is now outstanding for the others
	f.reconcile()
	expect("every child is ready; outdated until somebody deletes them (OnDelete): " + at("a") + "; " + at("b") + "; " + at("c"))
	f.Converged(f.site)
}

// A change that waits for a deletion has not been made.
func TestWhenAppliedWaitsForAnOutdatedChild(t *testing.T) {
	recording := func(value string) Function {
		return func(_ context.Context, req *Request) (*Response, error) {
			want := new(Desired)
			want.ConfigMaps.Add(configMap("web", value), operator.OnDelete, operator.WhenApplied(func(response *Response) { response.Status.Phase = value }))
			return &Response{Children: want, Status: &testapi.Status{Phase: req.Parent.Status.Phase}}, nil
		}
	}
	f := start(t, &author{sync: recording("one")})
	f.status("Ready", "Ready")
	f.setSync(recording("two"))
	f.reconcile()
	if status := f.status("Ready", "Outdated"); status.Phase != "one" {
		t.Errorf("status is %+v", status)
	}
	f.Delete(configMap("web", ""))
	if status := f.status("Ready", "Ready"); status.Phase != "two" {
		t.Errorf("status is %+v", status)
	}
}
