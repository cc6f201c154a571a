// Package health returns whether a child is ready, by its own status. It follows kstatus with these
// exceptions: a Job is ready when it is complete, a Pod in phase Failed has failed, a pending
// PersistentVolumeClaim counts as ready, and a custom resource needs the condition Ready, unless its
// kind has no status subresource.
//
//	health.go      Health and its states; the health of an object by its kind
//	rules.go       what the author and discovery know of a kind
//	workloads.go   Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs
//	core.go        Pods, PersistentVolumeClaims, Services
//	generation.go  which generation of its object a status speaks of
//	custom.go      custom resources, by their conditions
package health

import (
	"time"

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

// The states, as package operator describes them.
const (
	Ready      State = "Ready"
	InProgress State = "InProgress"
	Failed     State = "Failed"
)

// Health is a child's state, and why it is not ready.
type Health struct {
	State State
	// Message says why the child is not ready. It is a short phrase that continues the child's
	// name, such as "is rolling out"; empty when the child is ready.
	Message string
	// Since is when a child in the state Failed has failed, as its own status says; zero if that
	// does not.
	Since time.Time
}

// Of returns the health of an object by the rules for its kind.
func Of(object client.Object) Health { return Rules{}.ofKind(object) }

// ofKind returns the health of an object without the author's rule.
func (r Rules) ofKind(object client.Object) Health {
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
	if IsBuiltIn(object) {
		return Health{State: Ready}
	}
	return ofCustomResource(object, r.LacksStatus)
}

// IsBuiltIn reports whether an object is of one of Kubernetes' own kinds.
func IsBuiltIn(object client.Object) bool {
	if _, dynamic := object.(runtime.Unstructured); !dynamic {
		if _, _, err := clientgoscheme.Scheme.ObjectKinds(object); err == nil {
			return true
		}
	}
	return clientgoscheme.Scheme.Recognizes(object.GetObjectKind().GroupVersionKind())
}

// Unless returns the health of a child of which the author's code says why it is not ready; an empty
// text says nothing. A child that is not ready by itself keeps its own state and message.
func (h Health) Unless(why string) Health {
	if why == "" || h.State != Ready {
		return h
	}
	return inProgress(why)
}

func inProgress(message string) Health { return Health{State: InProgress, Message: message} }

// failed returns the health of an object that has failed at a time; zero if that is not known.
func failed(message string, since time.Time) Health {
	return Health{State: Failed, Message: message, Since: since}
}
