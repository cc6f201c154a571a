package exampleapp

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestAutoRemediation(t *testing.T) {
	app := newApp(t, nil)
	app.Status.CurrentVersion = "1.0.0"
	pod := func(name string, restarts int32, ready corev1.ConditionStatus) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.PodStatus{
			Phase:             corev1.PodRunning,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}},
			ContainerStatuses: []corev1.ContainerStatus{{RestartCount: restarts}},
		}}
	}
	failing := pod("c", 3, corev1.ConditionFalse)
	leaving := pod("d", 9, corev1.ConditionFalse)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1e9, 0)}
	request := &Request{Parent: app, Now: time.Unix(1e9, 0), Related: Related{Pods: operator.NewSnapshot(
		pod("a", 2, corev1.ConditionFalse), pod("b", 7, corev1.ConditionTrue), failing, leaving,
	)}}
	response, err := new(Reconciler).Sync(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Delete) != 1 || response.Delete[0].GetName() != "c" || response.Status.Remediations != 1 {
		t.Errorf("%v is replaced, %d counted", response.Delete, response.Status.Remediations)
	}
}
