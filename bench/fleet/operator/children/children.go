// Package children says what an EchoServer wants. All contenders share it, so that they differ in how they bring it
// about alone.
package children

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
)

// Container is the name of the container whose image follows the parent's.
const Container = "echo"

const port = 8080

// ConfigMap holds what is answered.
func ConfigMap(echo *v1alpha1.EchoServer) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metadata(echo),
		Data:       map[string]string{"message": echo.Spec.Message},
	}
}

// Service leads to the Pods.
func Service(echo *v1alpha1.EchoServer) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metadata(echo),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: Labels(echo),
			Ports: []corev1.ServicePort{{
				Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, TargetPort: intstr.FromInt32(port),
			}},
		},
	}
}

// Deployment makes the Pods. It is the only child that changes with the image.
func Deployment(echo *v1alpha1.EchoServer) *appsv1.Deployment {
	limits := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("50Mi"),
	}
	return &appsv1.Deployment{
		ObjectMeta: metadata(echo),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(cmp.Or(ptr.Deref(echo.Spec.Replicas, 0), 1)),
			Selector: &metav1.LabelSelector{MatchLabels: Labels(echo)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: Labels(echo)},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{
						Name:      Container,
						Image:     echo.Spec.Image,
						Env:       []corev1.EnvVar{{Name: "NAME", Value: echo.Name}},
						Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: corev1.ProtocolTCP}},
						Resources: corev1.ResourceRequirements{Requests: limits, Limits: limits},
						VolumeMounts: []corev1.VolumeMount{{
							Name: "message", MountPath: "/etc/echo", ReadOnly: true,
						}},
					}},
					Volumes: []corev1.Volume{{Name: "message", VolumeSource: corev1.VolumeSource{
						ConfigMap: &corev1.ConfigMapVolumeSource{
							LocalObjectReference: corev1.LocalObjectReference{Name: echo.Name},
						},
					}}},
				},
			},
		},
	}
}

// URL is where an EchoServer answers.
func URL(echo *v1alpha1.EchoServer) string {
	return fmt.Sprintf("http://%s.%s.svc", echo.Name, echo.Namespace)
}

// Labels are those of an EchoServer's children, and what its Service selects.
func Labels(echo *v1alpha1.EchoServer) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "echo", "app.kubernetes.io/instance": echo.Name}
}

func metadata(echo *v1alpha1.EchoServer) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: echo.Name, Namespace: echo.Namespace, Labels: Labels(echo)}
}
