package kubelet

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RunPod sets the status of a Pod that runs and is ready.
func RunPod(pod *corev1.Pod, now time.Time) {
	started := metav1.NewTime(now)
	pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &started
	startPod(pod, started)
	for _, condition := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		setPodCondition(pod, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: started})
	}
	setContainers(pod, func(status *corev1.ContainerStatus) {
		status.Ready, status.State = true, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}
	})
}

// SucceedPod sets the status of a Pod whose containers have succeeded.
func SucceedPod(pod *corev1.Pod, now time.Time) {
	endPod(pod, now, corev1.PodSucceeded, corev1.ContainerStateTerminated{Reason: "Completed"})
}

// FailPod sets the status of a Pod whose containers have failed.
func FailPod(pod *corev1.Pod, now time.Time) {
	endPod(pod, now, corev1.PodFailed, corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1})
}

// CrashPod sets the status of a Pod whose containers have crashed and been restarted so many times,
// and wait for the next restart.
func CrashPod(pod *corev1.Pod, restarts int32, now time.Time) {
	crashed := metav1.NewTime(now)
	pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &crashed
	startPod(pod, crashed)
	setUnready(pod, "ContainersNotReady", crashed)
	setContainers(pod, func(status *corev1.ContainerStatus) {
		status.RestartCount = restarts
		status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: "back-off restarting failed container=" + status.Name,
		}}
		status.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Error", ExitCode: 1, StartedAt: crashed, FinishedAt: crashed,
		}}
	})
}

// FailToPullImages sets the status of a Pod whose images cannot be pulled.
func FailToPullImages(pod *corev1.Pod, now time.Time) {
	tried := metav1.NewTime(now)
	pod.Status.Phase, pod.Status.StartTime = corev1.PodPending, &tried
	startPod(pod, tried)
	setUnready(pod, "ContainersNotReady", tried)
	setContainers(pod, func(status *corev1.ContainerStatus) {
		status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "ImagePullBackOff", Message: fmt.Sprintf("Back-off pulling image %q", status.Image),
		}}
	})
}

func endPod(pod *corev1.Pod, now time.Time, phase corev1.PodPhase, terminated corev1.ContainerStateTerminated) {
	ended := metav1.NewTime(now)
	terminated.StartedAt, terminated.FinishedAt = ended, ended
	pod.Status.Phase, pod.Status.StartTime = phase, &ended
	startPod(pod, ended)
	reason := "PodCompleted"
	if phase == corev1.PodFailed {
		reason = "PodFailed"
	}
	setUnready(pod, reason, ended)
	setContainers(pod, func(status *corev1.ContainerStatus) {
		state := terminated
		status.State = corev1.ContainerState{Terminated: &state}
	})
}

// startPod sets the address of a Pod, the generation that its status speaks of if that says one, and the
// conditions of a Pod that has a node and whose init containers have ended.
func startPod(pod *corev1.Pod, now metav1.Time) {
	if pod.Status.ObservedGeneration > 0 {
		pod.Status.ObservedGeneration = pod.Generation
	}
	if pod.Status.PodIP == "" {
		pod.Status.PodIP = addressOf(pod)
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized} {
		setPodCondition(pod, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
}

// addressOf returns an address of 10.0.0.0/8 that goes with the Pod: another one of the same name has
// another address.
func addressOf(pod *corev1.Pod) string {
	sum := sha256.Sum256([]byte(string(pod.UID) + "/" + pod.Namespace + "/" + pod.Name))
	return netip.AddrFrom4([4]byte{10, sum[0], sum[1], sum[2]}).String()
}

func setUnready(pod *corev1.Pod, reason string, now metav1.Time) {
	var names []string
	for _, container := range pod.Spec.Containers {
		names = append(names, container.Name)
	}
	message := ""
	if reason == "ContainersNotReady" {
		message = "containers with unready status: [" + strings.Join(names, " ") + "]"
	}
	for _, condition := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		setPodCondition(pod, corev1.PodCondition{
			Type: condition, Status: corev1.ConditionFalse, Reason: reason, Message: message, LastTransitionTime: now,
		})
	}
}

// setContainers sets the status of each container. Restarts that a status has already stay.
func setContainers(pod *corev1.Pod, set func(*corev1.ContainerStatus)) {
	restarts := map[string]int32{}
	for _, status := range pod.Status.ContainerStatuses {
		restarts[status.Name] = status.RestartCount
	}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		status := corev1.ContainerStatus{Name: container.Name, Image: container.Image, RestartCount: restarts[container.Name]}
		set(&status)
		isStarted := status.State.Running != nil
		status.Started = &isStarted
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
}

func setPodCondition(pod *corev1.Pod, set corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == set.Type {
			*condition = set
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, set)
}
