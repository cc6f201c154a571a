// Package helloworld greets: every HelloWorld gets a Pod that prints whom it names.
package helloworld

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	demov1 "example.com/hello-world/api/v1"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one Pod. The spec file says that the Pod is recreated when the greeting changes.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	want.Pods.Add(podFor(req.Parent))
	status := &demov1.HelloWorldStatus{Pods: int32(req.Children.Pods.Len())}
	return &Response{Children: want, Status: status}, nil
}

// podFor returns the Pod that prints the greeting and ends.
func podFor(hello *demov1.HelloWorld) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: hello.Name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyOnFailure,
			Containers: []corev1.Container{{
				Name:    "hello",
				Image:   "busybox",
				Command: []string{"echo", fmt.Sprintf("Hello, %s!", hello.Spec.Who)},
			}},
		},
	}
}
