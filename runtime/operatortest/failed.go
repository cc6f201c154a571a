package operatortest

import (
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/kubelet"
)

// MakeFailed is [Cluster.MakeReady] for objects that fail. The containers of a Pod end with an error.
// So do those of a Job's Pods, and the Job fails at once, whatever its backoffLimit. The Pods of a
// Deployment crash, and it has exceeded its progress deadline. A PersistentVolumeClaim has lost its
// volume, and a custom resource gets the conditions Stalled=True and Ready=False. It fails the test
// for an object of another kind, which never fails: see [Cluster.MakeCrashing].
func (c *Cluster) MakeFailed(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.Exists(object)
		switch object := object.(type) {
		case *corev1.Pod:
			c.updateStatusOf(object, func() { kubelet.FailPod(object, time.Now()) })
		case *corev1.PersistentVolumeClaim:
			c.updateStatusOf(object, func() { object.Status.Phase = corev1.ClaimLost })
		case *batchv1.Job:
			c.makeWorkloadFailed(object, kubelet.FailPod, func() bool { return kubelet.FailJob(object, time.Now()) })
		case *appsv1.Deployment:
			crash := func(pod *corev1.Pod, now time.Time) { kubelet.CrashPod(pod, 1, now) }
			c.makeWorkloadFailed(object, crash, func() bool { return kubelet.FailDeployment(object, time.Now()) })
		default:
			if health.IsBuiltIn(object) {
				c.t.Fatalf("make %s failed: objects of its kind never fail; MakeCrashing has the Pods of a workload crash", c.operator.Describe(object))
			}
			c.changeConditions(object, c.operator.HealthRules(object), kubelet.SetFailed)
		}
	}
}

// makeWorkloadFailed writes the status of a workload's Pods, and then that of the workload, until
// its controller reports that it has failed. fail reports whether it has changed the status.
func (c *Cluster) makeWorkloadFailed(workload client.Object, play func(*corev1.Pod, time.Time), fail func() bool) {
	c.t.Helper()
	c.Eventually(c.operator.Describe(workload)+" has failed", func() error {
		if err := c.requireState(workload, health.Failed); err == nil {
			return nil
		}
		pods, err := c.requirePods(workload, isUnready, play)
		if err != nil {
			return err
		}
		if !c.Get(workload) {
			return nil
		}
		if err := requireCounted(workload, pods); err != nil {
			return err
		}
		if fail() {
			if err := c.Client.Status().Update(c.t.Context(), workload); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
		return c.requireState(workload, health.Failed)
	})
}

// requireCounted returns an error if the status of a Deployment does not count its Pods, or counts one as
// ready: as soon as its controller sees that there are more, or fewer of an older template, it takes that for
// progress, and resets the condition of an exceeded deadline.
func requireCounted(workload client.Object, pods []corev1.Pod) error {
	deployment, isDeployment := workload.(*appsv1.Deployment)
	if !isDeployment {
		return nil
	}
	active := 0
	for i := range pods {
		if !health.IsFinished(&pods[i]) {
			active++
		}
	}
	status := deployment.Status
	switch {
	case status.ObservedGeneration != deployment.Generation:
		return errors.New("its controller has not seen its newest generation")
	case int(status.Replicas) != active || status.ReadyReplicas > 0:
		return fmt.Errorf("its status counts %d Pods, %d of them ready; there are %d, which crash", status.Replicas, status.ReadyReplicas, active)
	}
	return nil
}

// isUnready reports whether the containers of a Pod have crashed or failed.
func isUnready(pod *corev1.Pod) bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff" {
			return true
		}
	}
	return pod.Status.Phase == corev1.PodFailed
}

// MakeCrashing acts as a kubelet whose containers crash again and again: it waits until each Pod
// exists, and writes its status so that its containers have been restarted so many times and wait
// for the next restart (CrashLoopBackOff). Of a Deployment, StatefulSet, ReplicaSet or Job it does so
// with all Pods.
func (c *Cluster) MakeCrashing(object client.Object, restarts int32) {
	c.t.Helper()
	c.Exists(object)
	crash := func(pod *corev1.Pod, now time.Time) { kubelet.CrashPod(pod, restarts, now) }
	switch object := object.(type) {
	case *corev1.Pod:
		c.updateStatusOf(object, func() { crash(object, time.Now()) })
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.ReplicaSet, *batchv1.Job:
		isDone := func(pod *corev1.Pod) bool {
			return isUnready(pod) && pod.Status.ContainerStatuses[0].RestartCount == restarts
		}
		c.Eventually("the Pods of "+c.operator.Describe(object)+" crash", func() error {
			_, err := c.requirePods(object, isDone, crash)
			return err
		})
	default:
		c.t.Fatalf("make %s crash: it has no Pods", c.operator.Describe(object))
	}
}

// requirePods is playPods. It returns an error, too, if the workload's controller has not created all
// Pods that it creates before one of them is ready.
func (c *Cluster) requirePods(workload client.Object, isDone func(*corev1.Pod) bool, play func(*corev1.Pod, time.Time)) ([]corev1.Pod, error) {
	c.t.Helper()
	pods, err := c.playPods(workload, isDone, play)
	if err == nil && len(pods) < firstPods(workload) {
		err = errors.New("its Pods do not exist")
	}
	return pods, err
}

// firstPods returns how many Pods a workload has while none of them is ready.
func firstPods(workload client.Object) int {
	switch workload := workload.(type) {
	case *appsv1.Deployment:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *appsv1.ReplicaSet:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *appsv1.StatefulSet:
		if workload.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
			return int(ptr.Deref(workload.Spec.Replicas, 1))
		}
	}
	return 1
}
