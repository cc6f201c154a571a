package operatortest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/kubelet"
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
			c.updateStatusOf(object, func() { kubelet.RunPod(object, time.Now()) })
		case *corev1.PersistentVolumeClaim:
			c.updateStatusOf(object, func() { object.Status.Phase = corev1.ClaimBound })
		case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet:
			c.makePodsReady(object, kubelet.RunPod)
		case *batchv1.Job:
			c.makePodsReady(object, kubelet.SucceedPod)
		default:
			if rules := c.operator.HealthRules(object); rules.Of(object).State != health.Ready {
				c.changeConditions(object, rules, kubelet.SetReady)
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

// makePodsReady writes the status of a workload's Pods until the workload's controller reports it
// as ready.
func (c *Cluster) makePodsReady(workload client.Object, play func(*corev1.Pod, time.Time)) {
	c.t.Helper()
	isReady := func(pod *corev1.Pod) bool { return health.Of(pod).State == health.Ready }
	c.Eventually(c.operator.Describe(workload)+" is ready", func() error {
		if _, err := c.playPods(workload, isReady, play); err != nil {
			return err
		}
		return c.requireState(workload, health.Ready)
	})
}

// requireState returns an error unless a workload is in a state or is gone.
func (c *Cluster) requireState(workload client.Object, state health.State) error {
	c.t.Helper()
	if !c.Get(workload) {
		return nil
	}
	now := health.Of(workload)
	switch now.State {
	case state:
		return nil
	case health.Ready:
		return errors.New("it is ready")
	default:
		return fmt.Errorf("it %s", now.Message)
	}
}

// playPods writes the status of the Pods of a workload that are not as they are to be. It returns
// all its Pods, without those that are being deleted.
func (c *Cluster) playPods(workload client.Object, isDone func(*corev1.Pod) bool, play func(*corev1.Pod, time.Time)) ([]corev1.Pod, error) {
	c.t.Helper()
	var pods corev1.PodList
	err := c.Client.List(c.t.Context(), &pods, client.InNamespace(workload.GetNamespace()), client.MatchingLabelsSelector{Selector: c.podsOf(workload)})
	if err != nil {
		return nil, err
	}
	pods.Items = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
	for i := range pods.Items {
		pod := &pods.Items[i]
		if isDone(pod) || health.IsFinished(pod) {
			continue
		}
		play(pod, time.Now())
		if err := c.Client.Status().Update(c.t.Context(), pod); client.IgnoreNotFound(err) != nil {
			return nil, err
		}
	}
	return pods.Items, nil
}

// podsOf returns the selector of a workload's Pods.
func (c *Cluster) podsOf(workload client.Object) labels.Selector {
	c.t.Helper()
	var selector *metav1.LabelSelector
	switch workload := workload.(type) {
	case *appsv1.Deployment:
		selector = workload.Spec.Selector
	case *appsv1.StatefulSet:
		selector = workload.Spec.Selector
	case *appsv1.DaemonSet:
		selector = workload.Spec.Selector
	case *appsv1.ReplicaSet:
		selector = workload.Spec.Selector
	case *batchv1.Job:
		selector = workload.Spec.Selector
	}
	selected, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		c.t.Fatal(err)
	}
	return selected
}
