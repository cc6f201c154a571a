package health

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func ofPod(p *corev1.Pod) Health {
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		return Health{State: Ready}
	case corev1.PodFailed:
		return failed(cmp.Or(p.Status.Message, "has failed"), lastTermination(p))
	}
	for _, condition := range p.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			if observed := cmp.Or(p.Status.ObservedGeneration, condition.ObservedGeneration); observed > 0 && observed < p.Generation {
				return inProgress("has a change that its kubelet has not seen")
			}
			return Health{State: Ready}
		}
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable {
			return inProgress("cannot be scheduled: " + condition.Message)
		}
	}
	for _, container := range p.Status.ContainerStatuses {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "ContainerCreating" {
			return inProgress("container " + container.Name + " waits: " + waiting.Reason)
		}
	}
	return inProgress("is not ready")
}

// lastTermination returns when the last of a Pod's containers terminated; zero if none did.
func lastTermination(p *corev1.Pod) (last time.Time) {
	for _, container := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if ended := container.State.Terminated; ended != nil && ended.FinishedAt.After(last) {
			last = ended.FinishedAt.Time
		}
	}
	return last
}

func ofClaim(c *corev1.PersistentVolumeClaim) Health {
	if c.Status.Phase == corev1.ClaimLost {
		return failed("has lost its volume", time.Time{})
	}
	return Health{State: Ready}
}

func ofService(s *corev1.Service) Health {
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ClusterIP == "" {
		return inProgress("has no cluster IP")
	}
	return Health{State: Ready}
}
