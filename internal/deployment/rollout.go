package deployment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AwaitRollout waits until the Pods of all Deployments among the objects are those that were
// applied, and are available. The error after the timeout says what keeps them from it.
func (c *Cluster) AwaitRollout(ctx context.Context, objects []*Object, timeout time.Duration) error {
	end := time.Now().Add(timeout)
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() != appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind() {
			continue
		}
		if err := c.awaitDeployment(ctx, object, time.Until(end)); err != nil {
			return fmt.Errorf("%s: %w", titleOf(object), err)
		}
	}
	return nil
}

func (c *Cluster) awaitDeployment(ctx context.Context, object *Object, timeout time.Duration) error {
	client, err := c.access(object)
	if err != nil {
		return err
	}
	var last *appsv1.Deployment
	err = waitUntil(ctx, timeout, "its Pods are not available", func(ctx context.Context) (bool, error) {
		live, err := client.Get(ctx, object.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = new(appsv1.Deployment)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, last); err != nil {
			return false, err
		}
		return isRolledOut(last), nil
	})
	if err == nil || last == nil || ctx.Err() != nil {
		return err
	}
	if reasons := c.problemsOf(ctx, last); len(reasons) > 0 {
		return fmt.Errorf("%w:\n    %s", err, strings.Join(reasons, "\n    "))
	}
	return err
}

func wanted(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

// isRolledOut follows kubectl rollout status: all Pods are of the latest template, none of an older
// one is left, and all are available.
func isRolledOut(d *appsv1.Deployment) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.UpdatedReplicas == wanted(d) && s.Replicas == wanted(d) && s.AvailableReplicas == wanted(d)
}

// problemsOf returns why Pods of a Deployment do not run, one line each.
func (c *Cluster) problemsOf(ctx context.Context, d *appsv1.Deployment) []string {
	var reasons []string
	for _, condition := range d.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			reasons = append(reasons, condition.Message)
		}
	}
	list, err := c.objects.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(d.Namespace).
		List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(d.Spec.Selector)})
	if err != nil {
		return append(reasons, err.Error())
	}
	for _, item := range list.Items {
		var pod corev1.Pod
		if runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &pod) == nil {
			reasons = append(reasons, problemsOfPod(pod)...)
		}
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

func problemsOfPod(pod corev1.Pod) []string {
	var reasons []string
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			reasons = append(reasons, fmt.Sprintf("Pod %s: %s", pod.Name, condition.Message))
		}
	}
	if len(pod.Status.Conditions) == 0 {
		reasons = append(reasons, fmt.Sprintf("Pod %s: nothing schedules it: the cluster has no scheduler, or no node", pod.Name))
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if waiting := status.State.Waiting; waiting != nil {
			reasons = append(reasons, fmt.Sprintf("Pod %s: container %s: %s: %s", pod.Name, status.Name, waiting.Reason, waiting.Message))
		}
		if status.State.Running != nil && !status.Ready {
			reasons = append(reasons, fmt.Sprintf("Pod %s: container %s runs and is not ready", pod.Name, status.Name))
		}
	}
	return reasons
}
