package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

func TestFieldConflict(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.reconcile()
	before := f.Settled()
	f.StopClock()

	child := named(&corev1.ConfigMap{}, "web")
	for range 3 { // each time when it is repaired
		f.Eventually("the child is as desired", func() error {
			if f.Get(child); child.Data["key"] != "one" {
				return errors.New("it is not")
			}
			return nil
		})
		child.Data["key"] = "theirs"
		if err := f.Client.Update(t.Context(), child, client.FieldOwner("other-manager")); err != nil {
			t.Fatal(err)
		}
	}
	status := f.status("Ready", "FieldConflict")
	want := "ConfigMap " + f.Namespace + `/web: field manager "other-manager" keeps changing data.key`
	if message := status.Conditions[0].Message; !strings.HasPrefix(message, want) {
		t.Errorf("message is %q, want it to begin with %q", message, want)
	}
	f.status("Reconciling", "FieldConflict")
	f.reconcile()
	f.Get(child)
	if child.Data["key"] != "theirs" {
		t.Error("the drift was repaired at once")
	}
	f.Advance(10 * time.Second) // once the other manager stops, the next repair lasts
	f.status("Ready", "Ready")
	f.Get(child)
	if child.Data["key"] != "one" {
		t.Errorf("data is %v", child.Data)
	}
	f.reconcile()
	f.expectRequests(before,
		"patch configmaps web: 200",
		"patch configmaps web: 200",
		"get configmaps web: 200",
		"patch sites/status web: 200",
		"patch configmaps web: 200",
		"patch sites/status web: 200",
	)
}

func TestRepeatedDeletionIsAFieldConflict(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.reconcile()
	before := f.Settled()
	f.StopClock()

	child := named(&corev1.ConfigMap{}, "web")
	for range 3 {
		f.Exists(child)
		f.Settled()
		f.Delete(child)
		f.Gone(child)
	}
	status := f.status("Ready", "FieldConflict")
	want := "ConfigMap " + f.Namespace + "/web: somebody keeps deleting it, and it is recreated less and less often until that stops"
	if message := status.Conditions[0].Message; message != want {
		t.Errorf("message is %q, want %q", message, want)
	}
	f.reconcile()
	if f.Get(child) {
		t.Error("the child was recreated at once")
	}
	f.Advance(10 * time.Second) // the other manager has stopped
	f.status("Ready", "Ready")
	f.Exists(child)
	f.reconcile()
	f.expectRequests(before,
		"create configmaps web: 201",
		"create configmaps web: 201",
		"get configmaps web: 404",
		"patch sites/status web: 200",
		"create configmaps web: 201",
		"patch sites/status web: 200",
	)
}

func TestParentLabelsFieldConflict(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		return &Response{Children: new(Desired), Labels: map[string]string{"tier": "web"}, Status: &testapi.Status{Phase: "Synced"}}, nil
	}})
	f.status("Ready", "Ready")
	f.Settled()
	f.StopClock()
	labelled := func(tier string) {
		t.Helper()
		f.Eventually("the label is "+tier, func() error {
			if f.Get(f.site); f.site.Labels["tier"] != tier {
				return fmt.Errorf("it is %q", f.site.Labels["tier"])
			}
			return nil
		})
	}
	for range 3 { // each time when it is repaired
		labelled("web")
		f.Settled()
		other := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"tier":"theirs"}}}`))
		if err := f.Client.Patch(t.Context(), f.site, other, client.FieldOwner("other-manager")); err != nil {
			t.Fatal(err)
		}
	}
	status := f.status("Ready", "FieldConflict")
	want := `the parent's own metadata: field manager "other-manager" keeps changing metadata.labels.tier, which is repaired less and less often until it stops`
	if message := status.Conditions[0].Message; message != want {
		t.Errorf("message is %q, want %q", message, want)
	}
	f.reconcile()
	labelled("theirs")
	before := f.Settled()
	f.Advance(10 * time.Second) // once the other manager stops, the next repair lasts
	f.status("Ready", "Ready")
	labelled("web")
	f.reconcile()
	f.expectRequests(before, "patch sites web: 200", "patch sites/status web: 200")
}
