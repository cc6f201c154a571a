package deploy

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	healthPort      = 8081
	metricsPort     = 8443
	metricsPortName = "metrics"

	managerContainerName = "manager"
)

// ManagerObjects returns the Deployment of the operator, what keeps one of its Pods running, its
// metrics for others and, if it has any, the objects of its webhooks. A kustomization of the
// author's lists their file already.
func (o Operator) ManagerObjects() []runtime.Object {
	deployment := o.deployment()
	if o.ServesWebhooks() {
		o.addWebhookServer(&deployment.Spec.Template.Spec)
	}
	objects := []runtime.Object{deployment, o.disruptionBudget(), o.priorityClass(), o.metricsService(), o.metricsReader()}
	return append(objects, o.webhookObjects()...)
}

func (o Operator) deployment() *appsv1.Deployment {
	meta := o.metaIn(o.Namespace(), o.ManagerName())
	meta.Labels[componentLabel] = managerComponent
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(replicas)),
			Strategy: rollingUpdate(),
			Selector: &metav1.LabelSelector{MatchLabels: o.podLabels()},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      meta.Labels,
					Annotations: map[string]string{"kubectl.kubernetes.io/default-container": managerContainerName},
				},
				Spec: corev1.PodSpec{
					ServiceAccountName:           o.ManagerName(),
					AutomountServiceAccountToken: new(true), // which its ServiceAccount does not say
					// A variable OPERATOR_… is a flag, and a Service operator-webhook would set --webhook-port.
					EnableServiceLinks:            new(false),
					PriorityClassName:             o.priorityClassName(),
					TopologySpreadConstraints:     o.spread(),
					SecurityContext:               podSecurity(),
					TerminationGracePeriodSeconds: new(int64(terminationGrace)),
					Containers:                    []corev1.Container{o.managerContainer()},
				},
			},
		},
	}
}

// terminationGrace is how many seconds the kubelet waits for the operator. The operator waits 20 s for
// its reconciles and 30 s for one that ignores that, releases its lease, and sends its last spans for
// up to 5 s.
const terminationGrace = 45

func (o Operator) managerContainer() corev1.Container {
	return corev1.Container{
		Name:            managerContainerName,
		Image:           o.Image(),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args:            o.managerArgs(),
		Env:             o.managerEnv(),
		Ports: []corev1.ContainerPort{
			{Name: metricsPortName, ContainerPort: metricsPort, Protocol: corev1.ProtocolTCP},
			{Name: "health", ContainerPort: healthPort, Protocol: corev1.ProtocolTCP},
		},
		// A Pod is ready as soon as its caches are filled: the kubelet asks for that once it has started,
		// and often. A process that does not answer for a minute is started again.
		StartupProbe:    httpProbe("/healthz", 1, 60),
		LivenessProbe:   httpProbe("/healthz", 20, 3),
		ReadinessProbe:  httpProbe("/readyz", 2, 5),
		SecurityContext: containerSecurity(),
		Resources:       managerResources(),
	}
}

// managerResources returns requests that suffice at idle, and a limit that a leak reaches before it
// harms the node. There is no limit of CPU: it would delay the renewal of the lease, until another
// replica takes over.
func managerResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("10m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")},
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
	switch {
	case o.Watch != spec.WatchNamespace:
	case len(o.WatchNamespaces) > 0:
		args = append(args, "--namespace="+strings.Join(o.WatchNamespaces, ","))
	default:
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
	if o.Watch != spec.WatchNamespace || len(o.WatchNamespaces) > 0 {
		return env
	}
	return append(env, corev1.EnvVar{
		Name:      "POD_NAMESPACE",
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}},
	})
}

// httpProbe returns a probe that asks every so many seconds, and fails after so many failures.
func httpProbe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:     corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("health")}},
		PeriodSeconds:    period,
		FailureThreshold: failures,
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
