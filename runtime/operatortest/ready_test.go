package operatortest_test

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main:1"}}}
}

func podTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: podSpec()}
}

// roll wants a Deployment, and a Job once that is ready.
func roll(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	want := new(ledgerChildren)
	want.Deployments.Add(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: podTemplate()},
	})
	if req.Children.Deployments.Ready("web") {
		job := podSpec()
		job.RestartPolicy = corev1.RestartPolicyNever
		want.Jobs.Add(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "check"}, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: job}}})
	}
	return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
}

func TestMakeReadyPlaysTheKubelet(t *testing.T) {
	cluster, ledger := run(t, roll)
	deployment, job := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "check"}}
	cluster.MakeReady(deployment, job)
	cluster.Matches(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Conditions: []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionTrue},
	}}})
	cluster.Converged(ledger)
	if jobs := operatortest.ChildrenOf[*batchv1.Job](cluster, ledger); len(jobs) != 1 {
		t.Errorf("Jobs %v", jobs)
	}

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: podSpec()}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	custom := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	cluster.Stop()
	cluster.Create(pod, claim, custom)
	cluster.MakeReady(pod, claim, custom)
	for _, object := range []client.Object{pod, claim} {
		if state := health.Of(object); !cluster.Get(object) || state.State != health.Ready {
			t.Errorf("%s: %+v", object.GetName(), state)
		}
	}
	if claim.Status.Phase != corev1.ClaimBound || !meta.IsStatusConditionTrue(custom.Status.Conditions, "Ready") {
		t.Errorf("claim %+v, custom resource %+v", claim.Status, custom.Status)
	}
}
