// Package busybox runs a command of BusyBox in a Pod for every BusyBox.
package busybox

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/busybox/api/v1"
)

// checkEvery is how often Sync asks the registry, although nothing in the cluster changes.
const checkEvery = time.Hour

// Reconciler asks a registry for the image that a tag stands for.
type Reconciler struct {
	imageOf func(ctx context.Context, tag string) (string, error)
}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	registry := registry{host: "https://registry.k8s.io", repository: "e2e-test-images/busybox"}
	return Controller(&Reconciler{imageOf: registry.imageOf}), nil
}

// Sync wants one Pod, with the image that the tag stands for now. The spec file says that the Pod
// is recreated when that changes. If the registry does not answer, the Pod stays as it is, and the
// runtime calls Sync again later.
func (r *Reconciler) Sync(ctx context.Context, req *Request) (*Response, error) {
	box, want := req.Parent, new(Desired)
	image, err := r.imageOf(ctx, box.Spec.Tag)
	if err != nil {
		return nil, fmt.Errorf("image of the tag %s: %w", box.Spec.Tag, err)
	}
	want.Pods.Add(podFor(box, image))

	status := &v1.BusyBoxStatus{Phase: "Waiting", Image: image}
	if pod, ok := req.Children.Pods.Get(box.Name); ok {
		status.Phase = string(pod.Status.Phase)
	}
	return &Response{Children: want, Status: status, RequeueAfter: checkEvery}, nil
}

// Finalize wants no Pod, and is done when there is none. So once a BusyBox is gone, nothing of it
// runs any more. Until then, the runtime calls Finalize again.
func (r *Reconciler) Finalize(_ context.Context, req *Request) (*Response, error) {
	return &Response{Children: new(Desired), Finalized: req.Children.Pods.Len() == 0}, nil
}

// podFor returns the Pod that runs the command.
func podFor(box *v1.BusyBox, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: box.Name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicy(box.Spec.RestartPolicy),
			Containers: []corev1.Container{{
				Name:    "busybox",
				Image:   image,
				Command: box.Spec.Command,
			}},
		},
	}
}
