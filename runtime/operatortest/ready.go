package operatortest

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// MakeReady acts as the kubelet, because a control plane alone runs no Pods: it waits until each
// object exists, and writes its status so that it is ready. A Pod runs and is ready. So are the
// Pods of a Deployment, StatefulSet, DaemonSet or ReplicaSet, and those of a Job have succeeded, so
// that the cluster's own controllers report it as ready. A PersistentVolumeClaim is bound, and a
// custom resource gets the condition Ready=True, unless it is ready without, as one is whose kind has
// no status subresource. Other kinds stay as they are. An object that existed and is gone is no
// failure: an operator may delete a Job that has succeeded before anyone else has seen it.
func (c *Cluster) MakeReady(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.Exists(object)
		switch object := object.(type) {
		case *corev1.Pod:
			c.updateStatusOf(object, func() { runPod(object) })
		case *corev1.PersistentVolumeClaim:
			c.updateStatusOf(object, func() { object.Status.Phase = corev1.ClaimBound })
		case *appsv1.Deployment:
			c.runPodsOf(object, object.Spec.Selector, runPod)
		case *appsv1.StatefulSet:
			c.runPodsOf(object, object.Spec.Selector, runPod)
		case *appsv1.DaemonSet:
			c.runPodsOf(object, object.Spec.Selector, runPod)
		case *appsv1.ReplicaSet:
			c.runPodsOf(object, object.Spec.Selector, runPod)
		case *batchv1.Job:
			c.runPodsOf(object, object.Spec.Selector, endPod)
		default:
			if rules := c.operator.HealthRules(object); rules.Of(object).State != health.Ready {
				c.setReady(object, rules)
			}
		}
	}
}

// updateStatusOf is UpdateStatus for an object that may be gone.
func (c *Cluster) updateStatusOf(object client.Object, change func()) {
	c.t.Helper()
	c.changeStatusOf(object, change, func() error { return c.Client.Status().Update(c.t.Context(), object) })
}

// changeStatusOf reads an object that may be gone, changes its status and writes it.
func (c *Cluster) changeStatusOf(object client.Object, change func(), write func() error) {
	c.t.Helper()
	c.Eventually("the status of "+c.operator.Describe(object)+" is updated", func() error {
		if !c.Get(object) {
			return nil
		}
		change()
		return client.IgnoreNotFound(write())
	})
}

// runPodsOf writes the status of a workload's Pods until the workload's controller reports it as
// ready.
func (c *Cluster) runPodsOf(workload client.Object, selector *metav1.LabelSelector, run func(*corev1.Pod)) {
	c.t.Helper()
	selected, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Eventually(c.operator.Describe(workload)+" is ready", func() error {
		if err := c.runPods(workload.GetNamespace(), selected, run); err != nil {
			return err
		}
		if !c.Get(workload) {
			return nil
		}
		if state := health.Of(workload); state.State != health.Ready {
			return fmt.Errorf("it %s", state.Message)
		}
		return nil
	})
}

func (c *Cluster) runPods(namespace string, selected labels.Selector, run func(*corev1.Pod)) error {
	var pods corev1.PodList
	if err := c.Client.List(c.t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: selected}); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp != nil || health.Of(pod).State == health.Ready {
			continue
		}
		run(pod)
		if err := c.Client.Status().Update(c.t.Context(), pod); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// runPod sets the status of a Pod that runs and is ready.
func runPod(pod *corev1.Pod) {
	now := metav1.NewTime(time.Now())
	pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &now
	for _, condition := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		setPodCondition(pod, condition, corev1.ConditionTrue, now)
	}
	pod.Status.ContainerStatuses = containerStatuses(pod, true, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}})
}

// endPod sets the status of a Pod whose containers have succeeded.
func endPod(pod *corev1.Pod) {
	now := metav1.NewTime(time.Now())
	pod.Status.Phase, pod.Status.StartTime = corev1.PodSucceeded, &now
	setPodCondition(pod, corev1.PodReady, corev1.ConditionFalse, now)
	pod.Status.ContainerStatuses = containerStatuses(pod, false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Reason: "Completed", StartedAt: now, FinishedAt: now,
	}})
}

func containerStatuses(pod *corev1.Pod, ready bool, state corev1.ContainerState) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for _, container := range pod.Spec.Containers {
		statuses = append(statuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: ready, Started: &ready, State: state,
		})
	}
	return statuses
}

func setPodCondition(pod *corev1.Pod, of corev1.PodConditionType, status corev1.ConditionStatus, now metav1.Time) {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == of {
			condition.Status, condition.Reason, condition.Message, condition.LastTransitionTime = status, "", "", now
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: of, Status: status, LastTransitionTime: now})
}
