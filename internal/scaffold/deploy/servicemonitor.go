package deploy

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// serviceMonitorComponent has the Prometheus Operator read the metrics. Prometheus cannot check the
// certificate, which the operator makes itself.
func (o Operator) serviceMonitorComponent() Component {
	return Component{
		Name:    "service-monitor",
		Purpose: "metrics for the Prometheus Operator; it does not check the operator's certificate",
		about: "The ServiceAccount of Prometheus needs the ClusterRole with -metrics-reader. Prometheus sends its token to whoever" + "\n" +
			"answers at the Service, since it cannot check the operator's certificate: service-monitor-cert-manager has one that it" + "\n" +
			"can. Turn on one of the two components.",
		objects: []runtime.Object{o.serviceMonitor(map[string]any{"insecureSkipVerify": true})},
	}
}

// verifiedServiceMonitorComponent is the same with a certificate of cert-manager that Prometheus checks.
//
// The certificate is for a name that is no name of DNS: a kustomization that changes the namespace or the
// names of objects changes no name within a certificate.
func (o Operator) verifiedServiceMonitorComponent() Component {
	const issuer = "Issuer"
	name, secret, host := o.Name+"-metrics", o.Name+"-metrics-server-cert", o.Name+"-metrics"
	return Component{
		Name:    "service-monitor-cert-manager",
		Purpose: "the same with a certificate of cert-manager that Prometheus checks",
		about: "The ServiceAccount of Prometheus needs the ClusterRole with -metrics-reader. Needs cert-manager. Turn on this component" + "\n" +
			"or service-monitor.",
		objects: []runtime.Object{
			o.certManagerObject(issuer, name, map[string]any{"selfSigned": map[string]any{}}),
			o.certManagerObject("Certificate", name, map[string]any{
				"dnsNames":   []any{host},
				"issuerRef":  map[string]any{"kind": issuer, "name": name},
				"secretName": secret,
			}),
			o.serviceMonitor(map[string]any{
				"serverName": host,
				"ca":         map[string]any{"secret": map[string]any{"name": secret, "key": "ca.crt"}},
			}),
		},
		patches:    []runtime.Object{o.metricsCertificatePatch(secret)},
		references: []nameReference{issuerReference()},
	}
}

// issuerReference has the issuer of a Certificate follow the name of the Issuer.
func issuerReference() nameReference {
	return nameReference{Group: certManagerGroup, Kind: "Issuer", FieldSpecs: []fieldSpec{{Group: certManagerGroup, Kind: "Certificate", Path: "spec/issuerRef/name"}}}
}

// serviceMonitor returns a ServiceMonitor, whose Go type opgen does without.
func (o Operator) serviceMonitor(tls map[string]any) runtime.Object {
	selected := map[string]any{componentLabel: metricsComponent}
	for key, value := range o.labels() {
		selected[key] = value
	}
	return o.monitoringObject("ServiceMonitor", o.ManagerName(), map[string]any{
		"selector": map[string]any{"matchLabels": selected},
		"endpoints": []any{map[string]any{
			"port":            httpsPortName,
			"path":            metricsPath,
			"scheme":          "https",
			"bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token",
			"tlsConfig":       tls,
		}},
	})
}

// monitoringObject returns an object of the Prometheus Operator.
func (o Operator) monitoringObject(kind, name string, spec map[string]any) runtime.Object {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion("monitoring.coreos.com/v1")
	object.SetKind(kind)
	object.SetNamespace(o.Namespace())
	object.SetName(name)
	object.SetLabels(o.labels())
	return object
}

// metricsCertificatePatch has the manager serve metrics with the certificate of a Secret. The flag is
// set by its variable, since a patch replaces a list of arguments.
func (o Operator) metricsCertificatePatch(secret string) *appsv1.Deployment {
	const volume, folder = "metrics-certs", "/tmp/k8s-metrics-server/serving-certs"
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: o.ManagerName(), Namespace: o.Namespace()},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name:         managerContainerName,
				Env:          []corev1.EnvVar{{Name: "OPERATOR_METRICS_CERT_PATH", Value: folder}},
				VolumeMounts: []corev1.VolumeMount{{Name: volume, MountPath: folder, ReadOnly: true}},
			}},
			Volumes: []corev1.Volume{{Name: volume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}}},
		}}},
	}
}
