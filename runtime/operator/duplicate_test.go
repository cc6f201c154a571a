package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The API server creates such a child, and refuses every change of it from then on.
func TestChildWithTheSameListKeysTwiceIsNotCreated(t *testing.T) {
	pod := func(env ...corev1.EnvVar) *corev1.Pod {
		return named(&corev1.Pod{Spec: corev1.PodSpec{NodeSelector: map[string]string{"disk": "none"}, Containers: []corev1.Container{{Name: "main", Image: "web:1", Env: env}}}}, "web")
	}
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.Pods.Add(pod(corev1.EnvVar{Name: "A", Value: "default"}, corev1.EnvVar{Name: "A", Value: "the-user's"}))
	})})
	want := "Pod " + f.Namespace + "/web: spec.containers[0].env[0] and spec.containers[0].env[1] are both name A: items of this list must differ in that"
	if got := f.status("Ready", "InvalidChild").Conditions[0].Message; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
	if f.Get(named(&corev1.Pod{}, "web")) {
		t.Error("the child was created")
	}
	f.setSync(desire(func(want *Desired) { want.Pods.Add(pod(corev1.EnvVar{Name: "A", Value: "the-user's"})) }))
	f.reconcile()
	f.Exists(named(&corev1.Pod{}, "web"))
}
