package operator_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestFightOverAFieldIsContested(t *testing.T) {
	f := start(t, &author{sync: wants(wantsOne)})
	f.status("Ready", "Ready")
	f.pass()
	before := f.Settled()

	child := named(&corev1.ConfigMap{}, "web")
	for range 3 { // each time when it is repaired
		f.Eventually("the child is as desired", func() error {
			if f.Get(child); child.Data["key"] != "one" {
				return errors.New("it is not")
			}
			return nil
		})
		child.Data["key"] = "theirs"
		if err := f.Client.Update(t.Context(), child, client.FieldOwner("rival")); err != nil {
			t.Fatal(err)
		}
	}
	status := f.status("Ready", "Contested")
	want := "ConfigMap " + f.Namespace + `/web: field manager "rival" keeps changing data.key`
	if message := status.Conditions[0].Message; !strings.HasPrefix(message, want) {
		t.Errorf("message is %q, want it to begin with %q", message, want)
	}
	f.status("Reconciling", "Contested")
	f.pass()
	f.Get(child)
	if child.Data["key"] != "theirs" {
		t.Error("the drift was repaired at once")
	}
	f.status("Ready", "Ready") // once the rival rests, the next repair holds
	f.Get(child)
	if child.Data["key"] != "one" {
		t.Errorf("data is %v", child.Data)
	}
	f.pass()
	f.expectRequests(before,
		"patch configmaps web: 200",
		"patch configmaps web: 200",
		"get configmaps web: 200",
		"patch sites/status web: 200",
		"patch configmaps web: 200",
		"patch sites/status web: 200",
	)
}

func TestChildThatSomebodyKeepsDeletingIsContested(t *testing.T) {
	f := start(t, &author{sync: wants(wantsOne)})
	f.status("Ready", "Ready")
	f.pass()
	before := f.Settled()

	child := named(&corev1.ConfigMap{}, "web")
	for range 3 {
		f.Exists(child)
		f.Settled()
		f.Delete(child)
		f.Gone(child)
	}
	status := f.status("Ready", "Contested")
	want := "ConfigMap " + f.Namespace + "/web: somebody keeps deleting it, and it is made anew less and less often until that stops"
	if message := status.Conditions[0].Message; message != want {
		t.Errorf("message is %q, want %q", message, want)
	}
	f.pass()
	if f.Get(child) {
		t.Error("the child was made anew at once")
	}
	f.status("Ready", "Ready") // once the rival rests
	f.Exists(child)
	f.pass()
	f.expectRequests(before,
		"create configmaps web: 201",
		"create configmaps web: 201",
		"get configmaps web: 404",
		"patch sites/status web: 200",
		"create configmaps web: 201",
		"patch sites/status web: 200",
	)
}
