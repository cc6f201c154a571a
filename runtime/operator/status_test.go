package operator_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

func TestStatusFollowsTheChildrensHealth(t *testing.T) {
	f := start(t, &author{sync: onePod("web:1")})
	status := f.status("Ready", "Progressing")
	reconciling := meta.FindStatusCondition(status.Conditions, "Reconciling")
	if reconciling == nil || reconciling.Message != "Pod web is not ready" {
		t.Errorf("conditions are %+v", status.Conditions)
	}
	if status.Phase != "Synced" || status.ObservedGeneration != 1 {
		t.Errorf("status is %+v", status)
	}

	child := named(&corev1.Pod{}, "web")
	f.UpdateStatus(child, func() {
		child.Status.Phase = corev1.PodRunning
		child.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	})
	status = f.status("Ready", "Ready")
	if len(status.Conditions) != 1 {
		t.Errorf("conditions are %+v, want Ready alone", status.Conditions)
	}

	f.UpdateStatus(child, func() { child.Status.Phase, child.Status.Message = corev1.PodFailed, "evicted" })
	status = f.status("Ready", "ChildFailed")
	if !meta.IsStatusConditionTrue(status.Conditions, "Stalled") {
		t.Errorf("conditions are %+v, want Stalled", status.Conditions)
	}
}

func TestWithoutAnAnswerOnlyTheRuntimesConditionsAreWritten(t *testing.T) {
	a := &author{sync: func(context.Context, *Request) (*Response, error) { return &Response{}, nil }}
	f := start(t, a)
	f.status("Ready", "Ready") // a change before it could get between the read and the write
	f.reconcile()
	f.expectRequests(0, "patch sites/status web: 200")
}

func TestAuthorsConditions(t *testing.T) {
	reply := func(conditions ...metav1.Condition) Function {
		return func(_ context.Context, req *Request) (*Response, error) {
			status := req.Parent.Status // with the conditions that are there
			status.Phase = "Synced"
			return &Response{Status: &status, Conditions: conditions}, nil
		}
	}
	shown := func(status testapi.Status) (shown string) {
		for _, c := range status.Conditions {
			shown += fmt.Sprintf("%s=%s/%s/%d ", c.Type, c.Status, c.Reason, c.ObservedGeneration)
		}
		return shown
	}
	a := &author{sync: reply(metav1.Condition{Type: "Warm", Status: "True", Reason: "Heated"})}
	f := start(t, a)
	status := f.status("Warm", "Heated")
	if got, want := shown(status), "Ready=True/Ready/1 Warm=True/Heated/1 "; got != want {
		t.Errorf("conditions are %s, want %s", got, want)
	}
	since := meta.FindStatusCondition(status.Conditions, "Warm").LastTransitionTime

	a.setSync(reply())
	f.reconcile()
	f.status("Warm", "Heated") // nil leaves alone

	a.setSync(reply(metav1.Condition{Type: "Warm", Status: "True", Reason: "StillHeated"}))
	f.reconcile()
	if got := meta.FindStatusCondition(f.status("Warm", "StillHeated").Conditions, "Warm").LastTransitionTime; !got.Equal(&since) {
		t.Errorf("lastTransitionTime went from %s to %s, but the status stayed", since, got)
	}

	current := site("web")
	f.UpdateStatus(current, func() {
		meta.SetStatusCondition(&current.Status.Conditions, metav1.Condition{Type: "Foreign", Status: "True", Reason: "Another"})
	})
	a.setSync(reply(metav1.Condition{Type: "Ready", Status: "False", Reason: "Cold"}))
	f.reconcile()
	if got, want := shown(f.status("Ready", "Cold")), "Ready=False/Cold/1 Foreign=True/Another/0 "; got != want {
		t.Errorf("conditions are %s, want %s", got, want)
	}
}

func TestForeignStatusFieldsAreLeftAlone(t *testing.T) {
	f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		status := req.Parent.Status
		return &Response{Status: &status}, nil
	}})
	f.status("Ready", "Ready")
	current := site("web")
	f.UpdateStatus(current, func() { current.Status.Phase = "set by another" })
	f.Update(current, func() { current.Spec.Text = "changed" })
	f.Eventually("the new generation is observed", func() error {
		if f.Get(current); current.Status.ObservedGeneration != 2 {
			return fmt.Errorf("status is %+v", current.Status)
		}
		return nil
	})
	if current.Status.Phase != "set by another" {
		t.Errorf("phase is %q", current.Status.Phase)
	}
}

func TestStatusFieldThatTheCRDDoesNotKnowCostsNothing(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		return &Response{Status: &testapi.Status{Phase: "Synced", Unknown: "pruned"}}, nil
	}})
	f.status("Ready", "Ready")
	f.Settled() // another write meanwhile would have the runtime learn later
	f.reconcile()
	f.expectRequests(0,
		"patch sites/status web: 200",
		"patch sites/status web: 200", // from which the runtime learns
	)
	before := len(f.Requests())
	f.Advance(59 * time.Minute)
	f.reconcile()
	f.expectRequests(before)
	f.Advance(2 * time.Minute) // there may be another CRD by now
	f.Eventually("the field is written again", func() error {
		if sent := f.Requests()[before:]; len(sent) != 1 || sent[0].String() != "patch sites/status web: 200" {
			return fmt.Errorf("requests are %v", sent)
		}
		return nil
	})
}

func TestStatusThatOthersChangeMeanwhileIsNoFailure(t *testing.T) {
	var f *fixture
	a := &author{sync: desire(func(*Desired) {})}
	f = start(t, a)
	f.status("Ready", "Ready")
	once := true
	a.setSync(func(context.Context, *Request) (*Response, error) {
		if once {
			once = false
			current := site("web")
			f.UpdateStatus(current, func() { current.Status.Phase = "" })
		}
		return &Response{Status: &testapi.Status{}}, nil
	})
	f.reconcile()
	f.Settled()
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
	if status := f.status("Ready", "Ready"); status.Phase != "" {
		t.Errorf("phase is %q", status.Phase)
	}
}
