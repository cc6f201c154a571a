package simulation

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/kubelet"
)

// MakeReady sets the status of a child that is ready.
func (w *World) MakeReady(object client.Object) error {
	return w.play(object, func() error {
		switch object := object.(type) {
		case *corev1.Pod:
			kubelet.RunPod(object, w.Now)
		case *corev1.PersistentVolumeClaim:
			object.Status.Phase = corev1.ClaimBound
		case *batchv1.Job:
			kubelet.CompleteJob(object, w.Now)
		default:
			if kubelet.RollOut(object, w.Now) || health.IsBuiltIn(object) {
				return nil
			}
			return changeConditions(object, func(resource *unstructured.Unstructured) error { return kubelet.SetReady(resource, w.Now) })
		}
		return nil
	})
}

// MakeFailed sets the status of a child that has failed.
func (w *World) MakeFailed(object client.Object) error {
	return w.play(object, func() error {
		switch object := object.(type) {
		case *corev1.Pod:
			kubelet.FailPod(object, w.Now)
		case *corev1.PersistentVolumeClaim:
			object.Status.Phase = corev1.ClaimLost
		case *batchv1.Job:
			kubelet.EndFailedJob(object, w.Now)
		case *appsv1.Deployment:
			object.Status.ObservedGeneration = object.Generation
			kubelet.FailDeployment(object, w.Now)
		default:
			if health.IsBuiltIn(object) {
				return errors.New("objects of its kind never fail")
			}
			return changeConditions(object, func(resource *unstructured.Unstructured) error { return kubelet.SetFailed(resource, w.Now) })
		}
		return nil
	})
}

// MakeCrashing sets the status of a Pod whose containers crash again and again.
func (w *World) MakeCrashing(pod *corev1.Pod, restarts int32) error {
	return w.play(pod, func() error { kubelet.CrashPod(pod, restarts, w.Now); return nil })
}

// play changes the status of a child that exists.
func (w *World) play(object client.Object, change func() error) error {
	var err error
	if !w.Update(object, func() { err = change() }) {
		return errors.New("it does not exist")
	}
	return err
}

// changeConditions changes the conditions of a custom resource of any Go type.
func changeConditions(object client.Object, change func(*unstructured.Unstructured) error) error {
	resource := &unstructured.Unstructured{Object: contentOf(object)}
	if err := change(resource); err != nil {
		return err
	}
	changed, err := objectFrom(resource.Object, object)
	if err != nil {
		return fmt.Errorf("set its conditions: %w", err)
	}
	assign(object, changed)
	return nil
}
