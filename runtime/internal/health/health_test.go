package health

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestOf(t *testing.T) {
	leaving := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}
	changed := metav1.ObjectMeta{Generation: 2}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	three := appsv1.DeploymentSpec{Replicas: ptr.To[int32](3)}

	for _, test := range []struct {
		name   string
		object client.Object
		want   Health
	}{
		{"anything that is being deleted", &corev1.ConfigMap{ObjectMeta: leaving}, inProgress("is being deleted")},
		{"a ConfigMap exists", &corev1.ConfigMap{}, Health{State: Ready}},
		{"a custom resource of which only the metadata is known", &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Certificate"}}, Health{State: Ready}},
		{"metadata of what is being deleted", &metav1.PartialObjectMetadata{ObjectMeta: leaving}, inProgress("is being deleted")},

		{"a Deployment not looked at", &appsv1.Deployment{ObjectMeta: changed}, rollingOut()},
		{"a Deployment rolling out", &appsv1.Deployment{Spec: three, Status: appsv1.DeploymentStatus{UpdatedReplicas: 1}}, rollingOut()},
		{"a Deployment with old Pods", &appsv1.Deployment{Spec: three, Status: appsv1.DeploymentStatus{UpdatedReplicas: 3, Replicas: 4}}, rollingOut()},
		{"a Deployment starting up", &appsv1.Deployment{Spec: three, Status: appsv1.DeploymentStatus{UpdatedReplicas: 3, Replicas: 3, AvailableReplicas: 2}}, rollingOut()},
		{"a Deployment rolled out", &appsv1.Deployment{Spec: three, Status: appsv1.DeploymentStatus{UpdatedReplicas: 3, Replicas: 3, AvailableReplicas: 3}}, Health{State: Ready}},
		{"a Deployment past its deadline", &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: "False", Reason: "ProgressDeadlineExceeded", Message: "too slow", LastTransitionTime: metav1.NewTime(at)}}}}, failed("too slow", at)},

		{"a StatefulSet starting up", &appsv1.StatefulSet{}, rollingOut()},
		{"a StatefulSet rolling", &appsv1.StatefulSet{Status: appsv1.StatefulSetStatus{ReadyReplicas: 1, CurrentRevision: "a", UpdateRevision: "b"}}, rollingOut()},
		{"a StatefulSet ready", &appsv1.StatefulSet{Status: appsv1.StatefulSetStatus{ReadyReplicas: 1, UpdatedReplicas: 1}}, Health{State: Ready}},
		{"a DaemonSet without nodes", &appsv1.DaemonSet{}, Health{State: Ready}},
		{"a DaemonSet starting up", &appsv1.DaemonSet{Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2}}, rollingOut()},
		{"a ReplicaSet starting up", &appsv1.ReplicaSet{}, rollingOut()},

		{"a Job running", &batchv1.Job{}, inProgress("is not complete")},
		{"a Job complete", &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: "True"}}}}, Health{State: Ready}},
		{"a Job failed", &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", LastTransitionTime: metav1.NewTime(at)}}}}, failed("has failed", at)},

		{"a Pod pending", &corev1.Pod{}, inProgress("is not ready")},
		{"a Pod ready", &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: "True"}}}}, Health{State: Ready}},
		{"a Pod done", &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}, Health{State: Ready}},
		{"a Pod failed", &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Message: "evicted"}}, failed("evicted", time.Time{})},
		{"a Pod whose containers failed", &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed,
			InitContainerStatuses: []corev1.ContainerStatus{terminated(at.Add(-2 * time.Minute))},
			ContainerStatuses:     []corev1.ContainerStatus{terminated(at.Add(-time.Minute)), terminated(at), {}}}}, failed("has failed", at)},
		{"a Pod crashing", &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "web",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}}}, inProgress("container web waits: CrashLoopBackOff")},
		{"a claim pending", &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}, Health{State: Ready}},
		{"a claim lost", &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimLost}}, failed("has lost its volume", time.Time{})},

		{"a custom resource without conditions", custom(), inProgress("has no condition Ready=True")},
		{"a custom resource ready", custom("Ready", "True"), Health{State: Ready}},
		{"a custom resource not ready", custom("Ready", "False"), inProgress("because")},
		{"a custom resource stalled", custom("Ready", "True", "Stalled", "True"), failed("because", at)},
		{"a custom resource that says nothing of Ready=False", &unstructured.Unstructured{Object: map[string]any{
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False"}}},
		}}, inProgress("has no condition Ready=True")},
		{"a custom resource stalled since an unknown time", &unstructured.Unstructured{Object: map[string]any{
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Stalled", "status": "True"}}},
		}}, failed("is stalled", time.Time{})},
		{"a custom resource reconciling", custom("Ready", "True", "Reconciling", "True"), inProgress("because")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Of(test.object); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// custom makes a custom resource with these types and states of conditions.
func custom(conditions ...string) *unstructured.Unstructured {
	var items []any
	for i := 0; i < len(conditions); i += 2 {
		items = append(items, map[string]any{"type": conditions[i], "status": conditions[i+1], "message": "because", "lastTransitionTime": "2026-05-01T12:00:00Z"})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Certificate",
		"status": map[string]any{"conditions": items},
	}}
}

func terminated(at time.Time) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(at)}}}
}
