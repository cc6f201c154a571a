package kubelet

import (
	"cmp"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
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
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == exceeded.Type && condition.Reason == exceeded.Reason {
			return false
		}
	}
	setDeploymentCondition(deployment, exceeded)
	return true
}

// RollOut sets the status of a Deployment, StatefulSet, DaemonSet or ReplicaSet whose Pods all run, as
// its controller reports it. A DaemonSet has at least one Pod. RollOut reports whether the object is one
// of these.
func RollOut(workload any, now time.Time) bool {
	switch workload := workload.(type) {
	case *appsv1.Deployment:
		rollOutDeployment(workload, metav1.NewTime(now))
	case *appsv1.StatefulSet:
		replicas := ptr.Deref(workload.Spec.Replicas, 1)
		status := &workload.Status
		status.ObservedGeneration, status.CurrentRevision = workload.Generation, status.UpdateRevision
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = replicas, replicas, replicas
		status.CurrentReplicas, status.UpdatedReplicas = replicas, replicas
	case *appsv1.DaemonSet:
		status := &workload.Status
		nodes := max(status.DesiredNumberScheduled, 1)
		status.ObservedGeneration, status.NumberUnavailable = workload.Generation, 0
		status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.UpdatedNumberScheduled = nodes, nodes, nodes
		status.NumberReady, status.NumberAvailable = nodes, nodes
	case *appsv1.ReplicaSet:
		replicas := ptr.Deref(workload.Spec.Replicas, 1)
		status := &workload.Status
		status.ObservedGeneration, status.FullyLabeledReplicas = workload.Generation, replicas
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = replicas, replicas, replicas
	default:
		return false
	}
	return true
}

func rollOutDeployment(deployment *appsv1.Deployment, now metav1.Time) {
	replicas := ptr.Deref(deployment.Spec.Replicas, 1)
	status := &deployment.Status
	status.ObservedGeneration, status.UnavailableReplicas = deployment.Generation, 0
	status.Replicas, status.UpdatedReplicas = replicas, replicas
	status.ReadyReplicas, status.AvailableReplicas = replicas, replicas
	condition := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastUpdateTime: now, LastTransitionTime: now,
		Reason: "MinimumReplicasAvailable",
	}
	setDeploymentCondition(deployment, condition)
	condition.Type, condition.Reason = appsv1.DeploymentProgressing, "NewReplicaSetAvailable"
	setDeploymentCondition(deployment, condition)
}

// CompleteJob sets the status of a Job whose Pods have succeeded, as its controller reports it.
func CompleteJob(job *batchv1.Job, now time.Time) {
	at := metav1.NewTime(now)
	job.Status.StartTime, job.Status.CompletionTime = cmp.Or(job.Status.StartTime, &at), &at
	job.Status.Active, job.Status.Ready, job.Status.Succeeded = 0, nil, ptr.Deref(job.Spec.Completions, 1)
	for _, conditionType := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		setJobCondition(job, batchv1.JobCondition{
			Type: conditionType, Status: corev1.ConditionTrue, LastProbeTime: at, LastTransitionTime: at,
			Reason: batchv1.JobReasonCompletionsReached, Message: "Reached expected number of succeeded pods",
		})
	}
}

// EndFailedJob sets the status of a Job that has failed, as its controller reports it some time after
// [FailJob].
func EndFailedJob(job *batchv1.Job, now time.Time) {
	FailJob(job, now)
	at := metav1.NewTime(now)
	job.Status.StartTime, job.Status.Failed = cmp.Or(job.Status.StartTime, &at), max(job.Status.Failed, 1)
	job.Status.Active, job.Status.Ready = 0, nil
	setJobCondition(job, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, LastProbeTime: at, LastTransitionTime: at,
		Reason: batchv1.JobReasonBackoffLimitExceeded, Message: "Job has reached the specified backoff limit",
	})
}

func setJobCondition(job *batchv1.Job, set batchv1.JobCondition) {
	for i := range job.Status.Conditions {
		if condition := &job.Status.Conditions[i]; condition.Type == set.Type {
			*condition = set
			return
		}
	}
	job.Status.Conditions = append(job.Status.Conditions, set)
}

func setDeploymentCondition(deployment *appsv1.Deployment, set appsv1.DeploymentCondition) {
	for i := range deployment.Status.Conditions {
		if condition := &deployment.Status.Conditions[i]; condition.Type == set.Type {
			*condition = set
			return
		}
	}
	deployment.Status.Conditions = append(deployment.Status.Conditions, set)
}
