package health

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func ofDeployment(d *appsv1.Deployment) Health {
	if d.Status.ObservedGeneration < d.Generation {
		return unobserved()
	}
	for _, condition := range d.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing && condition.Reason == "ProgressDeadlineExceeded" {
			return failed(cmp.Or(condition.Message, "exceeded its progress deadline"))
		}
	}
	want := ptr.Deref(d.Spec.Replicas, 1)
	switch {
	case d.Status.UpdatedReplicas < want:
		return replicas(d.Status.UpdatedReplicas, want, "updated")
	case d.Status.Replicas > d.Status.UpdatedReplicas:
		return inProgress(fmt.Sprintf("has %d old replicas left", d.Status.Replicas-d.Status.UpdatedReplicas))
	case d.Status.AvailableReplicas < want:
		return replicas(d.Status.AvailableReplicas, want, "available")
	}
	return Health{State: Ready}
}

func ofStatefulSet(s *appsv1.StatefulSet) Health {
	if s.Status.ObservedGeneration < s.Generation {
		return unobserved()
	}
	want := ptr.Deref(s.Spec.Replicas, 1)
	if s.Status.ReadyReplicas < want {
		return replicas(s.Status.ReadyReplicas, want, "ready")
	}
	if s.Status.Replicas > want {
		return inProgress(fmt.Sprintf("has %d replicas too many", s.Status.Replicas-want))
	}
	if s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		return Health{State: Ready}
	}
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil && ptr.Deref(rolling.Partition, 0) > 0 {
		want -= min(want, *rolling.Partition)
	}
	if s.Status.UpdatedReplicas < want && s.Status.CurrentRevision != s.Status.UpdateRevision {
		return replicas(s.Status.UpdatedReplicas, want, "updated")
	}
	return Health{State: Ready}
}

func ofDaemonSet(d *appsv1.DaemonSet) Health {
	want := d.Status.DesiredNumberScheduled
	switch {
	case d.Status.ObservedGeneration < d.Generation:
		return unobserved()
	case d.Status.UpdatedNumberScheduled < want && d.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType:
		return replicas(d.Status.UpdatedNumberScheduled, want, "updated")
	case d.Status.NumberAvailable < want:
		return replicas(d.Status.NumberAvailable, want, "available")
	}
	return Health{State: Ready}
}

func ofReplicaSet(r *appsv1.ReplicaSet) Health {
	want := ptr.Deref(r.Spec.Replicas, 1)
	switch {
	case r.Status.ObservedGeneration < r.Generation:
		return unobserved()
	case r.Status.AvailableReplicas < want:
		return replicas(r.Status.AvailableReplicas, want, "available")
	case r.Status.Replicas > want:
		return inProgress(fmt.Sprintf("has %d replicas too many", r.Status.Replicas-want))
	}
	return Health{State: Ready}
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
			return failed(cmp.Or(condition.Message, "has failed"))
		case batchv1.JobSuspended:
			return inProgress("is suspended")
		}
	}
	return inProgress("is not complete")
}

func replicas(have, want int32, state string) Health {
	return inProgress(fmt.Sprintf("has %d of %d replicas %s", have, want, state))
}

func unobserved() Health { return inProgress("has a change that its controller has not seen") }
