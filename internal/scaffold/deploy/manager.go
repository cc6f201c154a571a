package deploy

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	healthPort  = 8081
	metricsPort = 8443
)

// NamespaceObjects returns the operator's namespace, which enforces the restricted pod security
// standard.
func (o Operator) NamespaceObjects() []runtime.Object {
	meta := o.objectMeta(o.Namespace())
	meta.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	return []runtime.Object{&corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: meta,
	}}
}

// ManagerObjects returns the Deployment of the operator.
func (o Operator) ManagerObjects() []runtime.Object {
	meta := o.metaIn(o.Namespace(), o.ManagerName())
	meta.Labels["app.kubernetes.io/component"] = "controller-manager"
	return []runtime.Object{&appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: o.podLabels()},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      meta.Labels,
					Annotations: map[string]string{"kubectl.kubernetes.io/default-container": "manager"},
				},
				Spec: corev1.PodSpec{
					ServiceAccountName:            o.ManagerName(),
					SecurityContext:               podSecurity(),
					TerminationGracePeriodSeconds: new(int64(terminationGrace)),
					Containers:                    []corev1.Container{o.managerContainer()},
				},
			},
		},
	}}
}

// terminationGrace is how many seconds the kubelet waits for the operator. It is longer than the
// operator needs to finish its reconciles, so that it can release its lease.
const terminationGrace = 30

func (o Operator) managerContainer() corev1.Container {
	return corev1.Container{
		Name:            "manager",
		Image:           o.Image(),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args:            o.managerArgs(),
		Env:             o.managerEnv(),
		Ports: []corev1.ContainerPort{
			{Name: "metrics", ContainerPort: metricsPort, Protocol: corev1.ProtocolTCP},
			{Name: "health", ContainerPort: healthPort, Protocol: corev1.ProtocolTCP},
		},
		LivenessProbe:   httpProbe("/healthz", 15, 20),
		ReadinessProbe:  httpProbe("/readyz", 5, 10),
		SecurityContext: containerSecurity(),
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("10m"),
				corev1.ResourceMemory: resource.MustParse("64Mi"),
			},
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")},
		},
	}
}

// managerArgs returns flags that switch on what is off by default for use on a developer's machine.
func (o Operator) managerArgs() []string {
	args := []string{
		"--leader-elect",
		"--leader-elect-id=" + o.Name,
		fmt.Sprintf("--metrics-bind-address=:%d", metricsPort),
		fmt.Sprintf("--health-probe-bind-address=:%d", healthPort),
	}
	if o.Watch == spec.WatchNamespace {
		args = append(args, "--namespace=$(POD_NAMESPACE)")
	}
	return args
}

// memoryMiB is the environment variable with the memory limit of the container in MiB.
const memoryMiB = "MEMORY_LIMIT_MIB"

// managerEnv returns the environment of the container. The namespace comes from the Pod, since a
// kustomization may change it.
//
// Go's memory limit follows that of the container: as many millions of bytes as the container has
// MiB. This leaves 4.6 % for memory that Go does not count.
func (o Operator) managerEnv() []corev1.EnvVar {
	env := []corev1.EnvVar{
		{Name: memoryMiB, ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{
			Resource: "limits.memory", Divisor: resource.MustParse("1Mi"),
		}}},
		{Name: "GOMEMLIMIT", Value: "$(" + memoryMiB + ")000000"},
	}
	if o.Watch != spec.WatchNamespace {
		return env
	}
	return append(env, corev1.EnvVar{
		Name:      "POD_NAMESPACE",
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}},
	})
}

func httpProbe(path string, initialDelay, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("health")}},
		InitialDelaySeconds: initialDelay,
		PeriodSeconds:       period,
	}
}

func podSecurity() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func containerSecurity() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
