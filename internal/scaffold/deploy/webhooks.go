package deploy

import (
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	webhookPort     = 9443
	webhookPortName = "webhook-server"
	servicePort     = 443
	certificatePath = "/tmp/k8s-webhook-server/serving-certs"
	conversionPath  = "/convert" // at which controller-runtime serves it
)

// The names of objects are those of a kubebuilder project of the same name, so that these objects
// take the place of its own.

// ServiceName is the name of the Service of the webhooks.
func (o Operator) ServiceName() string { return o.Name + "-webhook-service" }

// secretName is the name of the Secret with the webhook server's certificate.
func (o Operator) secretName() string {
	if o.Certificates.Secret != "" {
		return o.Certificates.Secret
	}
	return o.Name + "-webhook-server-cert"
}

func (o Operator) certificateName() string { return o.Name + "-serving-cert" }
func (o Operator) issuerName() string      { return o.Name + "-selfsigned-issuer" }

// isOwn reports whether a Service is that of the operator.
func (o Operator) isOwn(service *admissionv1.ServiceReference) bool {
	return service != nil && service.Name == o.ServiceName() && service.Namespace == o.Namespace()
}

// IsOwnConversion reports whether a CRD's conversion is served by the operator.
func (o Operator) IsOwnConversion(service *apiextv1.ServiceReference) bool {
	return service != nil && service.Name == o.ServiceName() && service.Namespace == o.Namespace()
}

// Conversion returns the conversion of a CRD whose versions the operator converts.
func (o Operator) Conversion() *apiextv1.CustomResourceConversion {
	return &apiextv1.CustomResourceConversion{
		Strategy: apiextv1.WebhookConverter,
		Webhook: &apiextv1.WebhookConversion{
			ClientConfig: &apiextv1.WebhookClientConfig{
				Service:  &apiextv1.ServiceReference{Name: o.ServiceName(), Namespace: o.Namespace(), Path: ptr.To(conversionPath)},
				CABundle: o.Certificates.CABundle,
			},
			ConversionReviewVersions: []string{"v1"},
		},
	}
}

// InjectCA has cert-manager write the certificate's authority into an object with webhooks, if the
// certificate comes from there.
func (o Operator) InjectCA(annotations map[string]string) map[string]string {
	const injectCAFrom = "cert-manager.io/inject-ca-from"
	if _, isSet := annotations[injectCAFrom]; isSet || o.Certificates.From != spec.CertManager {
		return annotations
	}
	injected := map[string]string{injectCAFrom: o.Namespace() + "/" + o.certificateName()}
	maps.Copy(injected, annotations)
	return injected
}

// clientConfigs returns where the API server asks each of the admission webhooks.
func (o Operator) clientConfigs() (all []*admissionv1.WebhookClientConfig) {
	for i := range o.Webhooks.Mutating {
		all = append(all, &o.Webhooks.Mutating[i].ClientConfig)
	}
	for i := range o.Webhooks.Validating {
		all = append(all, &o.Webhooks.Validating[i].ClientConfig)
	}
	return all
}

// ServesWebhooks reports whether the operator needs a Service and a certificate.
func (o Operator) ServesWebhooks() bool {
	return o.Converts || slices.ContainsFunc(o.clientConfigs(), func(c *admissionv1.WebhookClientConfig) bool { return o.isOwn(c.Service) })
}

// webhookObjects returns the Service of the webhooks, where their certificate comes from, and the
// configurations that have the API server ask them.
func (o Operator) webhookObjects() (objects []runtime.Object) {
	if o.ServesWebhooks() {
		objects = append(objects, o.webhookService())
		if o.Certificates.From == spec.CertManager {
			objects = append(objects, o.certificateObjects()...)
		}
	}
	return append(objects, o.configurations()...)
}

// webhookService returns the Service, with each port that a webhook names.
func (o Operator) webhookService() *corev1.Service {
	service := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: o.metaIn(o.Namespace(), o.ServiceName()),
		Spec: corev1.ServiceSpec{Selector: o.podLabels()},
	}
	var ports []int32
	if o.Converts {
		ports = append(ports, servicePort)
	}
	for _, config := range o.clientConfigs() {
		if o.isOwn(config.Service) {
			ports = append(ports, ptr.Deref(config.Service.Port, servicePort))
		}
	}
	slices.Sort(ports)
	for _, port := range slices.Compact(ports) {
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{
			Name: fmt.Sprintf("webhook-%d", port), Port: port, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString(webhookPortName),
		})
	}
	return service
}

// configurations returns the configurations of the admission webhooks.
func (o Operator) configurations() (objects []runtime.Object) {
	version, mutating, validating := admissionv1.SchemeGroupVersion.String(), o.Webhooks.MutatingName, o.Webhooks.ValidatingName
	if mutating == "" {
		mutating = o.Name + "-mutating-webhook-configuration"
	}
	if validating == "" {
		validating = o.Name + "-validating-webhook-configuration"
	}
	if o.ServesWebhooks() {
		for _, config := range o.clientConfigs() {
			if o.isOwn(config.Service) {
				config.CABundle = o.Certificates.CABundle
			}
		}
	}
	if len(o.Webhooks.Mutating) > 0 {
		objects = append(objects, &admissionv1.MutatingWebhookConfiguration{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "MutatingWebhookConfiguration"}, ObjectMeta: o.configurationMeta(mutating), Webhooks: o.Webhooks.Mutating,
		})
	}
	if len(o.Webhooks.Validating) > 0 {
		objects = append(objects, &admissionv1.ValidatingWebhookConfiguration{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ValidatingWebhookConfiguration"}, ObjectMeta: o.configurationMeta(validating), Webhooks: o.Webhooks.Validating,
		})
	}
	return objects
}

func (o Operator) configurationMeta(name string) metav1.ObjectMeta {
	meta := o.objectMeta(name)
	if o.ServesWebhooks() {
		meta.Annotations = o.InjectCA(nil)
	}
	return meta
}

// endpointDelay is how many seconds a Pod that ends still answers webhooks: the API server asks it until
// every node knows that it is no endpoint of the Service any more.
const endpointDelay = 5

// addWebhookServer has the manager's Pod serve webhooks with the certificate of the Secret.
func (o Operator) addWebhookServer(pod *corev1.PodSpec) {
	const volume = "webhook-certs"
	manager := &pod.Containers[0]
	manager.Args = append(manager.Args, "--webhook-cert-path="+certificatePath)
	manager.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: endpointDelay}}}
	pod.TerminationGracePeriodSeconds = ptr.To[int64](terminationGrace + endpointDelay)
	manager.Ports = append(manager.Ports, corev1.ContainerPort{Name: webhookPortName, ContainerPort: webhookPort, Protocol: corev1.ProtocolTCP})
	manager.VolumeMounts = append(manager.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: certificatePath, ReadOnly: true})
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: o.secretName()}}})
}
