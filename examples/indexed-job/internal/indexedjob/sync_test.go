package indexedjob

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/indexed-job/api/v1"
)

func newJob(completions, parallelism int32) *v1.IndexedJob {
	return &v1.IndexedJob{
		ObjectMeta: metav1.ObjectMeta{Name: "sum"},
		Spec: v1.IndexedJobSpec{
			Completions: completions,
			Parallelism: parallelism,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      map[string]string{"app": "sum"},
					Annotations: map[string]string{"of": "the template"},
				},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{
						{Name: "sum", Image: "sum:1", Env: []corev1.EnvVar{{Name: "LOG", Value: "all"}}},
						{Name: "print", Image: "print:1"},
					},
				},
			},
		},
	}
}

// podIn is the Pod of an index in a phase.
func podIn(index int32, phase corev1.PodPhase) *corev1.Pod {
	pod := podFor(newJob(0, 0), index)
	pod.Status.Phase = phase
	return pod
}

// conditionOf is the condition Complete while some Pods have succeeded.
func conditionOf(succeeded, completions int32) metav1.Condition {
	condition := metav1.Condition{
		Type: "Complete", Status: metav1.ConditionFalse, Reason: "Running",
		Message: fmt.Sprintf("%d of %d Pods have succeeded", succeeded, completions),
	}
	if succeeded == completions {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Succeeded"
	}
	return condition
}

const (
	running   = corev1.PodRunning
	succeeded = corev1.PodSucceeded
	failed    = corev1.PodFailed
)

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	for _, test := range []struct {
		name                     string
		completions, parallelism int32
		phases                   map[int32]corev1.PodPhase
		desired                  []int32
		status                   v1.IndexedJobStatus
	}{
		{"as many Pods as may run at once", 4, 2, nil, []int32{0, 1}, v1.IndexedJobStatus{}},
		{"no more Pods than indexes", 2, 5, nil, []int32{0, 1}, v1.IndexedJobStatus{}},
		{"Pods that run keep the others waiting", 4, 2,
			map[int32]corev1.PodPhase{0: running, 1: corev1.PodPending},
			[]int32{0, 1}, v1.IndexedJobStatus{Active: 2}},
		{"a Pod that has succeeded makes room", 4, 2,
			map[int32]corev1.PodPhase{0: running, 1: succeeded},
			[]int32{0, 1, 2}, v1.IndexedJobStatus{Active: 1, Succeeded: 1}},
		{"a Pod that has failed makes none", 4, 2,
			map[int32]corev1.PodPhase{0: failed, 1: running},
			[]int32{0, 1}, v1.IndexedJobStatus{Active: 1, Failed: 1}},
		{"a Pod that somebody deletes comes back", 4, 2,
			map[int32]corev1.PodPhase{1: running, 2: succeeded},
			[]int32{0, 1, 2}, v1.IndexedJobStatus{Active: 1, Succeeded: 1}},
		{"it waits for room, too", 4, 2,
			map[int32]corev1.PodPhase{1: running, 2: running},
			[]int32{1, 2}, v1.IndexedJobStatus{Active: 2}},
		{"a lower parallelism ends no Pod", 4, 1,
			map[int32]corev1.PodPhase{0: running, 1: running, 2: running},
			[]int32{0, 1, 2}, v1.IndexedJobStatus{Active: 3}},
		{"all Pods have succeeded", 2, 2,
			map[int32]corev1.PodPhase{0: succeeded, 1: succeeded},
			[]int32{0, 1}, v1.IndexedJobStatus{Succeeded: 2}},
	} {
		job, want := newJob(test.completions, test.parallelism), new(Desired)
		for _, index := range test.desired {
			hasFailed := test.phases[index] == failed
			want.Pods.Add(podFor(job, index), operator.RecreateIf(hasFailed))
		}
		var observed []*corev1.Pod
		for index, phase := range test.phases {
			observed = append(observed, podIn(index, phase))
		}
		operatortest.Run(t, new(Reconciler).Sync, operatortest.Case[Request, Response]{
			Name:  test.name,
			Given: Request{Parent: job, Children: Children{Pods: operator.NewSnapshot(observed...)}},
			Expect: &Response{
				Children:   want,
				Status:     &test.status,
				Conditions: []metav1.Condition{conditionOf(test.status.Succeeded, test.completions)},
			},
		})
	}
	complete := newJob(2, 2)
	complete.Status.Conditions = []metav1.Condition{conditionOf(2, 2)}
	operatortest.Run(t, new(Reconciler).Sync, operatortest.Case[Request, Response]{
		Name:   "nothing changes once it is complete",
		Given:  Request{Parent: complete},
		Expect: &Response{},
	})
}

func TestPod(t *testing.T) {
	job := newJob(2, 2)
	pod, index := podFor(job, 1), corev1.EnvVar{Name: "JOB_INDEX", Value: "1"}
	expected := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "sum-1",
			Labels:      map[string]string{"app": "sum"},
			Annotations: map[string]string{"of": "the template"},
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}
	for i := range expected.Spec.Containers {
		expected.Spec.Containers[i].Env = append(expected.Spec.Containers[i].Env, index)
	}
	if differences := operatortest.Diff(expected, pod); differences != "" {
		t.Errorf("the Pod differs:\n%s", differences)
	}
	if len(job.Spec.Template.Spec.Containers[1].Env) > 0 {
		t.Error("the template has changed")
	}
}

// TestTheWholeWay runs all Pods without a cluster, never more than two at once.
func TestTheWholeWay(t *testing.T) {
	controller, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	job := newJob(5, 2)
	sim := operatortest.Simulate(t, new(Reconciler).Sync, job, controller)
	for index := range int32(5) {
		sim.Converged()
		if job.Status.Active > 2 {
			t.Errorf("%d Pods run at once", job.Status.Active)
		}
		pod := podFor(job, index)
		sim.Update(pod, func() { pod.Status.Phase = succeeded })
	}
	sim.Converged()
	if job.Status.Succeeded != 5 {
		t.Errorf("%d Pods have succeeded", job.Status.Succeeded)
	}
	sim.Delete(podFor(job, 3))
	sim.Converged()
	if sim.Get(podFor(job, 3)) {
		t.Error("a Pod runs again although all have succeeded")
	}
}
