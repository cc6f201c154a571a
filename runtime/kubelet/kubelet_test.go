package kubelet_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/kubelet"
)

var now = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// TestPods shows that the runtime sees each status as what it stands for, in place of any other.
func TestPods(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main:1"}, {Name: "proxy", Image: "proxy:1"}}}}
	for _, test := range []struct {
		name    string
		play    func(*corev1.Pod, time.Time)
		phase   corev1.PodPhase
		state   health.State
		message string
	}{
		{"unpullable", kubelet.FailToPullImages, corev1.PodPending, health.InProgress, "container main waits: ImagePullBackOff"},
		{"runs", kubelet.RunPod, corev1.PodRunning, health.Ready, ""},
		{"crashes", func(p *corev1.Pod, now time.Time) { kubelet.CrashPod(p, 4, now) }, corev1.PodRunning, health.InProgress, "container main waits: CrashLoopBackOff"},
		{"runs again", kubelet.RunPod, corev1.PodRunning, health.Ready, ""},
		{"failed", kubelet.FailPod, corev1.PodFailed, health.Failed, "has failed"},
		{"succeeded", kubelet.SucceedPod, corev1.PodSucceeded, health.Ready, ""},
	} {
		test.play(pod, now)
		state := health.Of(pod)
		if pod.Status.Phase != test.phase || state.State != test.state || state.Message != test.message {
			t.Errorf("%s: phase %s, %+v", test.name, pod.Status.Phase, state)
		}
		if len(pod.Status.ContainerStatuses) != 2 || len(pod.Status.Conditions) != 4 {
			t.Errorf("%s: %+v", test.name, pod.Status)
		}
	}
	if restarts := pod.Status.ContainerStatuses[1].RestartCount; restarts != 4 {
		t.Errorf("%d restarts in the end", restarts)
	}
}

// TestAPodHasAnAddressOfItsOwn shows that an address lasts as long as the Pod.
func TestAPodHasAnAddressOfItsOwn(t *testing.T) {
	newPod := func(name string, uid types.UID) *corev1.Pod {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}
		kubelet.RunPod(pod, now)
		return pod
	}
	web, next := newPod("web", "1"), newPod("web", "2")
	address := web.Status.PodIP
	if kubelet.CrashPod(web, 1, now); web.Status.PodIP != address || len(web.Status.PodIPs) != 1 || web.Status.PodIPs[0].IP != address {
		t.Errorf("after a crash it has %s, %v; before, %s", web.Status.PodIP, web.Status.PodIPs, address)
	}
	if other := newPod("db", "").Status.PodIP; !strings.HasPrefix(address, "10.") || next.Status.PodIP == address || other == address || other == "" {
		t.Errorf("addresses %s, %s, %s", address, next.Status.PodIP, other)
	}
}

// TestWorkloadsFailOnce shows that a status is changed once.
func TestWorkloadsFailOnce(t *testing.T) {
	job, deployment := new(batchv1.Job), new(appsv1.Deployment)
	deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue}}
	for i, changes := range []bool{true, false} {
		if got := kubelet.FailJob(job, now); got != changes {
			t.Errorf("call %d changes the Job: %v", i+1, got)
		}
		if got := kubelet.FailDeployment(deployment, now); got != changes {
			t.Errorf("call %d changes the Deployment: %v", i+1, got)
		}
	}
	if state := health.Of(deployment); state.State != health.Failed || len(deployment.Status.Conditions) != 1 {
		t.Errorf("the Deployment: %+v, %+v", state, deployment.Status.Conditions)
	}
}

// TestWorkloadsWithoutController shows that the runtime sees each workload as what it stands for, and that
// a change of the desired state makes it unready.
func TestWorkloadsWithoutController(t *testing.T) {
	job, failed := new(batchv1.Job), new(batchv1.Job)
	kubelet.CompleteJob(job, now)
	kubelet.EndFailedJob(failed, now)
	if got, other := health.Of(job), health.Of(failed); got.State != health.Ready || other.State != health.Failed || !other.Since.Equal(now) {
		t.Errorf("the Jobs: %+v, %+v", got, other)
	}
	for _, workload := range []client.Object{new(appsv1.Deployment), new(appsv1.StatefulSet), new(appsv1.DaemonSet), new(appsv1.ReplicaSet)} {
		workload.SetGeneration(2)
		if state := health.Of(workload); state.State != health.InProgress {
			t.Errorf("a new %T: %+v", workload, state)
		}
		if !kubelet.RollOut(workload, now) || health.Of(workload).State != health.Ready {
			t.Errorf("a %T: %+v", workload, health.Of(workload))
		}
		workload.SetGeneration(3)
		if state := health.Of(workload); state.State != health.InProgress {
			t.Errorf("a changed %T: %+v", workload, state)
		}
	}
	if kubelet.RollOut(new(corev1.Pod), now) {
		t.Error("a Pod is rolled out")
	}
}

// TestPlayPod has Pods run, succeed, or lack their image.
func TestPlayPod(t *testing.T) {
	play := kubelet.WithoutImages("broken:1", "init:1")
	for name, test := range map[string]struct {
		spec  corev1.PodSpec
		phase corev1.PodPhase
	}{
		"runs":           {corev1.PodSpec{Containers: []corev1.Container{{Image: "main:1"}}}, corev1.PodRunning},
		"succeeds":       {corev1.PodSpec{RestartPolicy: corev1.RestartPolicyOnFailure}, corev1.PodSucceeded},
		"no image":       {corev1.PodSpec{Containers: []corev1.Container{{Image: "main:1"}, {Image: "broken:1"}}}, corev1.PodPending},
		"no first image": {corev1.PodSpec{InitContainers: []corev1.Container{{Image: "init:1"}}}, corev1.PodPending},
	} {
		pod := &corev1.Pod{Spec: test.spec}
		if play(pod, now); pod.Status.Phase != test.phase {
			t.Errorf("%s: phase %s", name, pod.Status.Phase)
		}
	}
}

func TestConditions(t *testing.T) {
	resource := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "True"}}},
	}}
	for _, test := range []struct {
		name  string
		set   func(*unstructured.Unstructured, time.Time) error
		state health.State
		many  int
	}{
		{"ready", kubelet.SetReady, health.Ready, 2},
		{"failed", kubelet.SetFailed, health.Failed, 3},
		{"ready again", kubelet.SetReady, health.Ready, 3},
	} {
		if err := test.set(resource, now); err != nil {
			t.Fatal(err)
		}
		conditions, _, _ := unstructured.NestedSlice(resource.Object, "status", "conditions")
		if state := health.Of(resource); state.State != test.state || len(conditions) != test.many {
			t.Errorf("%s: %+v with %v", test.name, state, conditions)
		}
	}
	resource.Object["status"] = map[string]any{"conditions": "none"}
	if err := kubelet.SetReady(resource, now); err == nil || err.Error() != "status.conditions is no list" {
		t.Errorf("error %v", err)
	}
}
