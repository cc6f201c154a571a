// Package echoserver runs an HTTP echo server, a Pod behind a Service, for every EchoServer.
package echoserver

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/echo-operator/api/v1alpha1"
)

const (
	image     = "kennship/http-echo"
	port      = 3000
	nameLabel = "app.kubernetes.io/name"
)

// Reconciler runs echo servers.
type Reconciler struct{}

// New returns the controller of EchoServers. A Reconciler that needs a client takes it from the manager here.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one Pod and one Service, both named after the parent, and tells how the Pod is.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	echo, want := req.Parent, new(Desired)
	want.Pods.Add(podFor(echo))
	want.Services.Add(serviceFor(echo))

	status := echo.Status // what is not set below stays
	status.Phase, status.Message = string(corev1.PodPending), "waiting for the Pod"
	if pod, ok := req.Children.Pods.Get(echo.Name); ok && pod.Status.Phase != corev1.PodPending {
		status.Phase, status.Message = string(pod.Status.Phase), messageOf(pod)
	}
	return &Response{Children: want, Status: &status}, nil
}

func podFor(echo *v1alpha1.EchoServer) *corev1.Pod {
	limits := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("50Mi"),
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: echo.Name, Labels: labelsOf(echo)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:      "echo",
			Image:     image,
			Env:       []corev1.EnvVar{{Name: "SERVICE_NAME", Value: echo.Spec.ServiceName}},
			Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: corev1.ProtocolTCP}},
			Resources: corev1.ResourceRequirements{Requests: limits, Limits: limits},
		}}},
	}
}

func serviceFor(echo *v1alpha1.EchoServer) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: echo.Name, Labels: labelsOf(echo)},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: labelsOf(echo),
			Ports: []corev1.ServicePort{{
				Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, TargetPort: intstr.FromInt32(port),
			}},
		},
	}
}

func labelsOf(echo *v1alpha1.EchoServer) map[string]string {
	return map[string]string{nameLabel: echo.Spec.ServiceName}
}

func messageOf(pod *corev1.Pod) string {
	if pod.Status.Message != "" {
		return pod.Status.Message
	}
	return fmt.Sprintf("the Pod is %s", pod.Status.Phase)
}
