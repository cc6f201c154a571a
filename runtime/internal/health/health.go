// Package health returns whether a child is ready, by its own status. It follows kstatus with these
// exceptions: a Job is ready when it is complete, a Pod in phase Failed has failed, a pending
// PersistentVolumeClaim counts as ready, and a custom resource needs the condition Ready.
package health

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// State is a child's health.
type State string

// The states.
const (
	Ready      State = "Ready"      // it works, or has completed
	InProgress State = "InProgress" // it becomes ready by itself
	Failed     State = "Failed"     // it does not become ready without a change
)

// Health is a child's state, and why it is not ready.
type Health struct {
	State   State
	Message string // a short phrase; empty when ready
}

// Of returns the health of an object.
func Of(object client.Object) Health {
	if object.GetDeletionTimestamp() != nil {
		return inProgress("is being deleted")
	}
	switch object := object.(type) {
	case *appsv1.Deployment:
		return ofDeployment(object)
	case *appsv1.StatefulSet:
		return ofStatefulSet(object)
	case *appsv1.DaemonSet:
		return ofDaemonSet(object)
	case *appsv1.ReplicaSet:
		return ofReplicaSet(object)
	case *batchv1.Job:
		return ofJob(object)
	case *corev1.Pod:
		return ofPod(object)
	case *corev1.PersistentVolumeClaim:
		return ofClaim(object)
	case *corev1.Service:
		return ofService(object)
	case *corev1.Namespace, *metav1.PartialObjectMetadata: // all that is known of the latter is that it exists
		return Health{State: Ready}
	}
	return ofOther(object)
}

// ofOther returns the health of a kind without a specific rule. A built-in one is ready once it
// exists.
func ofOther(object client.Object) Health {
	if _, _, err := clientgoscheme.Scheme.ObjectKinds(object); err == nil {
		if _, dynamic := object.(runtime.Unstructured); !dynamic {
			return Health{State: Ready}
		}
	}
	if clientgoscheme.Scheme.Recognizes(object.GetObjectKind().GroupVersionKind()) {
		return Health{State: Ready}
	}
	return ofCustomResource(object)
}

func inProgress(message string) Health { return Health{InProgress, message} }

func failedWith(message string) Health { return Health{Failed, message} }
