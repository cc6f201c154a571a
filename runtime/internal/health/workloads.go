package health

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func ofDeployment(d *appsv1.Deployment) Health {
	if d.Status.ObservedGeneration < d.Generation {
		return rollingOut()
	}
	for _, condition := range d.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing && condition.Reason == "ProgressDeadlineExceeded" {
			return failed(cmp.Or(condition.Message, "exceeded its progress deadline"), condition.LastTransitionTime.Time)
		}
	}
	want := ptr.Deref(d.Spec.Replicas, 1)
	done := d.Status.UpdatedReplicas >= want && d.Status.Replicas <= d.Status.UpdatedReplicas && d.Status.AvailableReplicas >= want
	return rolledOut(done)
}

func ofStatefulSet(s *appsv1.StatefulSet) Health {
	want := ptr.Deref(s.Spec.Replicas, 1)
	if s.Status.ObservedGeneration < s.Generation || s.Status.ReadyReplicas < want || s.Status.Replicas > want {
		return rollingOut()
	}
	if s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		return Health{State: Ready}
	}
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil && ptr.Deref(rolling.Partition, 0) > 0 {
		want -= min(want, *rolling.Partition)
	}
	return rolledOut(s.Status.UpdatedReplicas >= want || s.Status.CurrentRevision == s.Status.UpdateRevision)
}

func ofDaemonSet(d *appsv1.DaemonSet) Health {
	want := d.Status.DesiredNumberScheduled
	updated := d.Status.UpdatedNumberScheduled >= want || d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	return rolledOut(d.Status.ObservedGeneration >= d.Generation && updated && d.Status.NumberAvailable >= want)
}

func ofReplicaSet(r *appsv1.ReplicaSet) Health {
	want := ptr.Deref(r.Spec.Replicas, 1)
	return rolledOut(r.Status.ObservedGeneration >= r.Generation && r.Status.AvailableReplicas >= want && r.Status.Replicas <= want)
}

func ofJob(j *batchv1.Job) Health {
	for _, condition := range j.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			return Health{State: Ready}
		case batchv1.JobFailed:
			return failed(cmp.Or(condition.Message, "has failed"), condition.LastTransitionTime.Time)
		case batchv1.JobSuspended:
			return inProgress("is suspended")
		}
	}
	return inProgress("is not complete")
}

// IsFinished reports whether an object is a Job that is complete or has failed, or a Pod that
// succeeded or failed.
func IsFinished(object client.Object) bool {
	switch object := object.(type) {
	case *corev1.Pod:
		return object.Status.Phase == corev1.PodSucceeded || object.Status.Phase == corev1.PodFailed
	case *batchv1.Job:
		return slices.ContainsFunc(object.Status.Conditions, func(c batchv1.JobCondition) bool {
			return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
		})
	}
	return false
}

func rolledOut(done bool) Health {
	if done {
		return Health{State: Ready}
	}
	return rollingOut()
}

// rollingOut returns no progress in its message: a status that repeats the message would be written
// at every step.
func rollingOut() Health { return inProgress("is rolling out") }
