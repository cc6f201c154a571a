package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

const requestKey = "test.opgen.dev/reconcile"

// handled returns the token that the status says was handled last.
func (f *fixture) handled() string {
	f.t.Helper()
	f.Settled()
	f.Get(f.site)
	if handled := meta.FindStatusCondition(f.site.Status.Conditions, "ReconcileHandled"); handled != nil {
		return handled.Message
	}
	return ""
}

// A user may ask for a fresh write of every child, and wait until it is done.
func TestRequestedReconcileWritesEveryChild(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	before := f.Settled()
	f.annotate(requestKey, "first")
	if handled := f.handled(); handled != "first" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.expectRequests(before, "patch configmaps web: 200", "patch sites/status web: 200")

	f.Restart()
	f.Converged(f.site)
	if handled := f.handled(); handled != "first" {
		t.Errorf("after a restart, the status says that %q was handled", handled)
	}
	before = f.Settled()
	f.annotate(requestKey, "")
	if handled := f.handled(); handled != "first" {
		t.Errorf("without the annotation, the status says that %q was handled", handled)
	}
	f.expectRequests(before)
	f.annotate(requestKey, "second")
	if handled := f.handled(); handled != "second" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.Converged(f.site)
}

// A request is handled once everything is written, whether the children become ready or not.
func TestRequestedReconcileOfAParentThatIsNotReadyIsHandled(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) { want.Pods.Add(pod("web", "web:1")) })})
	f.status("Ready", "Progressing") // the Pod stays pending without a node
	f.annotate(requestKey, "first")
	if handled := f.handled(); handled != "first" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.status("Ready", "Progressing")
}

// An author's own conditions are a complete set, and this one is not the author's.
func TestHandledRequestStaysBesideTheAuthorsConditions(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		desireOne(want)
		return &Response{Children: want, Conditions: []metav1.Condition{{Type: "Warm", Status: metav1.ConditionTrue}}}, nil
	}})
	f.status("Warm", "Warm")
	f.Settled()
	f.annotate(requestKey, "first")
	if handled := f.handled(); handled != "first" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.reconcile()
	if handled := f.handled(); handled != "first" {
		t.Errorf("after another reconcile, the status says that %q was handled", handled)
	}
	before := f.Settled()
	f.Restart()
	f.Reconciled(f.site)
	f.expectRequests(before)
	f.Converged(f.site)
}

// A parent of someone else's kind has no conditions to say which request was handled.
func TestFirstRequestOfAParentWithoutConditionsIsHandled(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		desireOne(want)
		return &Response{Children: want}, nil
	}, alter: func(d *siteDefinition) { d.Status, d.Conditions, d.ObservedGeneration = nil, nil, nil }})
	f.Exists(configMap("web", ""))
	for _, token := range []string{"first", "second"} {
		before := f.Settled()
		f.annotate(requestKey, token)
		f.Settled()
		f.expectRequests(before, "patch configmaps web: 200")
	}
	before := f.Settled()
	f.Restart()
	f.Reconciled(f.site)
	f.expectRequests(before)
}

func TestRequestIsNotHandledWhileAChildWaits(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		database, settings := pod("database", "db:1"), configMap("web", "one")
		want.Pods.Add(database)
		want.ConfigMaps.Add(configMap("free", "one"))
		want.ConfigMaps.Add(settings, operator.After(database))
	})})
	database := named(&corev1.Pod{}, "database")
	f.MakeReady(database)
	f.status("Ready", "Ready")
	f.UpdateStatus(database, func() { database.Status.Conditions = nil })
	f.status("Ready", "Progressing")
	before := f.Settled()
	f.annotate(requestKey, "first")
	if handled := f.handled(); handled != "" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.reconcile() // writes no child again
	f.reconcile()
	f.expectRequests(before, "patch configmaps free: 200", "patch pods database: 200", "patch pods database: 200") // a dry run first
	before = f.Settled()
	f.MakeReady(database)
	f.status("ReconcileHandled", "Requested")
	if handled := f.handled(); handled != "first" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.expectRequests(before, "patch configmaps web: 200", "patch sites/status web: 200")
	f.Converged(f.site)
}

// A Sync that does not know yet what should exist leaves the children as they are.
func TestRequestIsNotHandledWhileSyncDesiresNothingYet(t *testing.T) {
	knows := desire(desireOne)
	knowsNothing := func(context.Context, *Request) (*Response, error) { return new(Response), nil }
	f := start(t, &author{sync: knowsNothing})
	f.annotate(requestKey, "none exist")
	if handled := f.handled(); handled != "none exist" {
		t.Errorf("without children, the status says that %q was handled", handled)
	}
	f.setSync(knows)
	f.reconcile()
	f.Exists(configMap("web", ""))
	f.setSync(knowsNothing)
	f.annotate(requestKey, "first")
	if handled := f.handled(); handled != "none exist" {
		t.Errorf("before the child is written, the status says that %q was handled", handled)
	}
	f.setSync(knows)
	f.reconcile()
	if handled := f.handled(); handled != "first" {
		t.Errorf("the status says that %q was handled", handled)
	}
	f.Converged(f.site)
}
