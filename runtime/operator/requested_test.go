package operator_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
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
