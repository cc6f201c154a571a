package kubelet

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FailJob sets the condition by which a Job's controller ends it as failed at once. The controller
// itself sets it when the Job's Pods have failed more often than its backoffLimit allows, which takes
// minutes. It reports whether the status has changed.
func FailJob(job *batchv1.Job, now time.Time) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailureTarget {
			return false
		}
	}
	at := metav1.NewTime(now)
	job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, LastProbeTime: at, LastTransitionTime: at,
		Reason: batchv1.JobReasonBackoffLimitExceeded, Message: "Job has reached the specified backoff limit",
	})
	return true
}

// FailDeployment sets the condition of a Deployment that has exceeded its progress deadline, which
// is ten minutes by default. Its controller keeps the condition until the Deployment progresses. It
// reports whether the status has changed.
func FailDeployment(deployment *appsv1.Deployment, now time.Time) bool {
	at := metav1.NewTime(now)
	exceeded := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, LastUpdateTime: at, LastTransitionTime: at,
		Reason: "ProgressDeadlineExceeded", Message: "Deployment \"" + deployment.Name + "\" has exceeded its progress deadline.",
	}
	for i := range deployment.Status.Conditions {
		condition := &deployment.Status.Conditions[i]
		if condition.Type != exceeded.Type {
			continue
		}
		if condition.Reason == exceeded.Reason {
			return false
		}
		*condition = exceeded
		return true
	}
	deployment.Status.Conditions = append(deployment.Status.Conditions, exceeded)
	return true
}
