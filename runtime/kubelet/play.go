package kubelet

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// PlayPod sets the status of a Pod that a node has got: it runs, or has succeeded if its restartPolicy
// lets it end, as that of each Pod of a Job does.
func PlayPod(pod *corev1.Pod, now time.Time) {
	if pod.Spec.RestartPolicy == corev1.RestartPolicyNever || pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure {
		SucceedPod(pod, now)
		return
	}
	RunPod(pod, now)
}

// WithoutImages returns [PlayPod] of a node that cannot pull some images: the Pods that have one of them
// never get ready; see [FailToPullImages].
func WithoutImages(images ...string) func(*corev1.Pod, time.Time) {
	return func(pod *corev1.Pod, now time.Time) {
		lacksImage := func(container corev1.Container) bool { return slices.Contains(images, container.Image) }
		if slices.ContainsFunc(pod.Spec.Containers, lacksImage) || slices.ContainsFunc(pod.Spec.InitContainers, lacksImage) {
			FailToPullImages(pod, now)
			return
		}
		PlayPod(pod, now)
	}
}
