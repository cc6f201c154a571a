package deploy

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	metricsPath = "/metrics"
	// httpsPortName names the port of the metrics Service.
	httpsPortName = "https"
)

// MaxServiceName is the most characters that the name of a Service has.
const MaxServiceName = 63

// MetricsServiceName is the name of the Service of the metrics: that of a kubebuilder project of the
// same name, or the project's own name if that is too long.
func (o Operator) MetricsServiceName() string {
	if name := o.ManagerName() + "-metrics-service"; len(name) <= MaxServiceName {
		return name
	}
	return o.Name
}

// metricsService returns the Service of the metrics. The operator serves them over TLS, and asks the
// API server who a client is and whether it may read them.
func (o Operator) metricsService() *corev1.Service {
	meta := o.metaIn(o.Namespace(), o.MetricsServiceName())
	meta.Labels[componentLabel] = metricsComponent
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Selector: o.podLabels(),
			Ports: []corev1.ServicePort{{
				Name: httpsPortName, Port: metricsPort, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString(metricsPortName),
			}},
		},
	}
}

// metricsReader returns the role of whoever reads metrics, such as Prometheus. Nothing binds it.
func (o Operator) metricsReader() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: o.objectMeta(o.Name + "-metrics-reader"),
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{metricsPath}, Verbs: []string{"get"}}},
	}
}
