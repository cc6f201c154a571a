package operatortest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// migrate wants a Job until it has succeeded, and remembers what it has seen of it.
func migrate(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	want, status := new(ledgerChildren), req.Parent.Status
	failure, hasFailed := req.Children.Jobs.Failed("migrate")
	switch {
	case req.Children.Jobs.Ready("migrate"):
		status.Phase = "Migrated"
	case hasFailed:
		status.Phase = failure.Message
	}
	if status.Phase != "Migrated" {
		template := podTemplate()
		template.Labels, template.Spec.RestartPolicy = nil, corev1.RestartPolicyNever
		want.Jobs.Add(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "migrate"}, Spec: batchv1.JobSpec{Template: template}})
	}
	return &ledgerResponse{Children: want, Status: &status}, nil
}

func inPhase(phase string) *Ledger {
	return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Phase: phase}}
}

// TestMakeReadyOfWhatIsPrunedWhenItIsReady has an operator delete a Job as soon as it has succeeded.
func TestMakeReadyOfWhatIsPrunedWhenItIsReady(t *testing.T) {
	cluster, ledger := run(t, migrate)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "migrate"}}
	cluster.MakeReady(job)
	cluster.Gone(job)
	cluster.Matches(inPhase("Migrated"))
	cluster.Converged(ledger)
}

// TestMakeFailedEndsAJobAtOnce fails a Job with the default backoffLimit, which would take its
// controller ten minutes.
func TestMakeFailedEndsAJobAtOnce(t *testing.T) {
	cluster, ledger := run(t, migrate)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "migrate"}}
	began := time.Now()
	cluster.MakeFailed(job)
	cluster.Matches(inPhase("Job has reached the specified backoff limit"))
	cluster.Eventually("its Pod counts as failed", func() error {
		if cluster.Get(job); job.Status.Failed != 1 || job.Status.Active != 0 {
			return fmt.Errorf("the status is %+v", job.Status)
		}
		return nil
	})
	if took := time.Since(began); took > 3*time.Minute {
		t.Errorf("it took %v", took)
	}
	cluster.Converged(ledger)
}

func TestMakeFailedPlaysWhatFails(t *testing.T) {
	cluster, ledger := run(t, roll)
	cluster.Settled()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	cluster.MakeFailed(deployment)
	cluster.Matches(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Conditions: []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionFalse, Reason: "ChildFailed"},
	}}})
	cluster.Converged(ledger)
	cluster.MakeReady(deployment) // it recovers
	cluster.Exists(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "check"}})

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: podSpec()}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	custom := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	cluster.Stop()
	cluster.Create(pod, claim, custom)
	cluster.MakeFailed(pod, claim, custom)
	if state := health.Of(pod); state.State != health.Failed || state.Since.IsZero() {
		t.Errorf("the Pod: %+v", state)
	}
	if state := health.Of(claim); state.State != health.Failed {
		t.Errorf("the claim: %+v", state)
	}
	if !meta.IsStatusConditionTrue(custom.Status.Conditions, "Stalled") || !meta.IsStatusConditionFalse(custom.Status.Conditions, "Ready") {
		t.Errorf("the custom resource: %+v", custom.Status)
	}
	cluster.MakeReady(custom)
	if !meta.IsStatusConditionFalse(custom.Status.Conditions, "Stalled") || !meta.IsStatusConditionTrue(custom.Status.Conditions, "Ready") {
		t.Errorf("the custom resource that was made ready: %+v", custom.Status)
	}
}

// TestADeploymentFailsOnceItsPodsAreCounted has a Deployment's controller be late: it takes each Pod that
// it sees for the first time for progress, and would reset the condition.
func TestADeploymentFailsOnceItsPodsAreCounted(t *testing.T) {
	crashing, evicted := corev1.Pod{}, corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed}}
	for _, test := range []struct {
		name   string
		status appsv1.DeploymentStatus
		pods   []corev1.Pod
		expect string
	}{
		{"counted", appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1}, []corev1.Pod{crashing}, ""},
		{"not counted", appsv1.DeploymentStatus{ObservedGeneration: 2}, []corev1.Pod{crashing}, "counts 0 Pods, 0 of them ready; there are 1, which crash"},
		{"not all counted", appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1}, []corev1.Pod{crashing, crashing}, "counts 1 Pods"},
		{"an old one counted", appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2}, []corev1.Pod{crashing}, "counts 2 Pods"},
		{"one ready", appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1, ReadyReplicas: 1}, []corev1.Pod{crashing}, "1 of them ready"},
		{"an evicted one is not counted", appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1}, []corev1.Pod{crashing, evicted}, ""},
		{"of the generation before", appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1}, []corev1.Pod{crashing}, "has not seen its newest generation"},
	} {
		t.Run(test.name, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: test.status}
			err := operatortest.RequireCounted(deployment, test.pods)
			if (err == nil) != (test.expect == "") || err != nil && !strings.Contains(err.Error(), test.expect) {
				t.Errorf("expected %q, got %v", test.expect, err)
			}
		})
	}
}

// TestMakeCrashing crashes one Pod, and all Pods of a workload, which then become ready.
func TestMakeCrashing(t *testing.T) {
	cluster, _ := run(t, copyOut)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: podSpec()}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: appsv1.StatefulSetSpec{
		Replicas: ptr.To[int32](3), PodManagementPolicy: appsv1.ParallelPodManagement, Template: podTemplate(),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
	cluster.Create(pod, set)
	cluster.MakeCrashing(pod, 3)
	requireCrashed(t, pod, 3)
	cluster.MakeCrashing(set, 2)
	cluster.MakeCrashing(set, 5)
	for _, name := range []string{"db-0", "db-1", "db-2"} {
		one := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
		cluster.Get(one)
		requireCrashed(t, one, 5)
	}
	cluster.MakeReady(pod, set)
	if restarts := pod.Status.ContainerStatuses[0].RestartCount; restarts != 3 {
		t.Errorf("the Pod that runs again has %d restarts", restarts)
	}
}

func requireCrashed(t *testing.T, pod *corev1.Pod, restarts int32) {
	t.Helper()
	if state := health.Of(pod); state.Message != "container main waits: CrashLoopBackOff" {
		t.Errorf("%s: %+v", pod.Name, state)
	}
	if status := pod.Status.ContainerStatuses[0]; status.RestartCount != restarts || status.LastTerminationState.Terminated.ExitCode != 1 {
		t.Errorf("%s: %+v", pod.Name, status)
	}
}

func makeFailedWhatNeverFails(t *testing.T) {
	cluster := operatortest.Start(t, ledgerConfig(copyOut))
	cluster.Create(textMap("alone", ""))
	cluster.MakeFailed(textMap("alone", ""))
}

func TestMakeFailedRefusesWhatNeverFails(t *testing.T) {
	expectFailure(t, "never fails", "make ConfigMap", "objects of its kind never fail")
}

// TestGoneLeavesItsArgumentAsItIs awaits another object of the name, and uses the argument again.
func TestGoneLeavesItsArgumentAsItIs(t *testing.T) {
	cluster, _ := run(t, copyOut)
	expected := textMap("web", "one")
	cluster.Exists(expected)
	before := expected.DeepCopy()
	cluster.Delete(expected)
	cluster.Gone(expected)
	if differences := operatortest.Diff(before, expected); differences != "" {
		t.Errorf("Gone changed its argument:\n%s", differences)
	}
}
