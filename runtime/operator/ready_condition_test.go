package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

// desirePod returns a Sync that answers with a Pod and these conditions, and without a status.
func desirePod(conditions ...metav1.Condition) Function {
	return func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		want.Pods.Add(pod("web", "web:1"))
		return &Response{Children: want, Conditions: conditions}, nil
	}
}

// setPhase plays the kubelet: the Pod is ready if it runs.
func (f *fixture) setPhase(phase corev1.PodPhase) {
	f.t.Helper()
	child := named(&corev1.Pod{}, "web")
	f.Exists(child)
	f.UpdateStatus(child, func() {
		child.Status.Phase = phase
		child.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	})
}

func TestReadyFollowsTheChildrenWithoutAStatusFromSync(t *testing.T) {
	f := start(t, &author{sync: desirePod()})
	f.status("Ready", "Progressing")
	f.setPhase(corev1.PodRunning)
	status := f.status("Ready", "Ready")
	if status.ObservedGeneration != 1 {
		t.Errorf("observedGeneration is %d, want 1", status.ObservedGeneration)
	}
	f.UpdateStatus(f.site, func() { f.site.Status.Phase = "the author's, of before" })
	f.setPhase(corev1.PodFailed)
	status = f.status("Ready", "ChildFailed")
	if meta.IsStatusConditionTrue(status.Conditions, "Ready") || status.Phase != "the author's, of before" {
		t.Errorf("status is %+v", status)
	}
}

func TestReadyOfTheAuthorHidesNoFailingChild(t *testing.T) {
	warm := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Warm"}
	cold := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Cold"}
	unsure := metav1.Condition{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "Unsure"}
	f := start(t, &author{sync: desirePod(warm)})
	f.status("Ready", "Progressing")
	f.setSync(desirePod(cold))
	f.reconcile()
	f.status("Ready", "Cold") // the author knows more than that the Pod is not ready yet

	f.setPhase(corev1.PodFailed)
	f.status("Ready", "ChildFailed")
	for _, condition := range []metav1.Condition{warm, unsure} {
		f.setSync(desirePod(condition))
		f.reconcile()
		f.Settled()
		f.status("Ready", "ChildFailed")
	}

	f.setPhase(corev1.PodRunning)
	f.status("Ready", "Unsure")
	f.setSync(desirePod(cold))
	f.reconcile()
	f.status("Ready", "Cold")
	f.setSync(desirePod(warm))
	f.reconcile()
	f.status("Ready", "Warm")
}

func TestStatusWithoutConditionsIsLeftAloneWithoutAStatusFromSync(t *testing.T) {
	f := start(t, &author{sync: desirePod(), alter: func(d *siteDefinition) { d.Conditions, d.ObservedGeneration = nil, nil }})
	f.setPhase(corev1.PodFailed)
	f.Settled()
	if f.Get(f.site); f.site.Status.Phase != "" || len(f.site.Status.Conditions) > 0 {
		t.Errorf("status is %+v, want %+v", f.site.Status, testapi.Status{})
	}
}
