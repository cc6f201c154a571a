package packaging

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// webhookDefinitions returns the webhooks of the operator as a ClusterServiceVersion lists them. The Operator Lifecycle
// Manager makes their Service and certificate.
func (o *Operator) webhookDefinitions() ([]any, error) {
	var definitions []any
	for kind, name := range map[string]string{"MutatingWebhookConfiguration": "MutatingAdmissionWebhook", "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook"} {
		for _, object := range ofKind(o.Objects, kind) {
			webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
			if err != nil {
				return nil, err
			}
			for _, item := range webhooks {
				webhook, _ := item.(map[string]any)
				definition, err := o.webhookDefinition(webhook, name)
				if err != nil {
					return nil, fmt.Errorf("%s %s: %w", kind, object.GetName(), err)
				}
				definitions = append(definitions, definition)
			}
		}
	}
	for _, crd := range ofKind(o.Objects, "CustomResourceDefinition") {
		definition, err := o.conversionDefinition(crd)
		if err != nil {
			return nil, err
		}
		if definition != nil {
			definitions = append(definitions, definition)
		}
	}
	slices.SortFunc(definitions, func(a, b any) int { return strings.Compare(orderOf(a), orderOf(b)) })
	return definitions, nil
}

// orderOf returns what a definition is sorted by. Webhooks of both sorts may have one name.
func orderOf(definition any) string {
	fields := definition.(map[string]any)
	return fmt.Sprint(fields["generateName"], " ", fields["type"], " ", fields["webhookPath"])
}

// webhookDefinition returns an admission webhook, with the fields that both formats have.
func (o *Operator) webhookDefinition(webhook map[string]any, kind string) (map[string]any, error) {
	client, _ := webhook["clientConfig"].(map[string]any)
	path, err := servicePath(webhook["name"], client)
	if err != nil {
		return nil, err
	}
	definition := map[string]any{
		"type": kind, "generateName": webhook["name"], "deploymentName": o.manager.GetName(), "webhookPath": path,
		"containerPort": int64(443), "targetPort": o.webhookPort(),
	}
	for _, field := range []string{"namespaceSelector", "matchConditions"} {
		if limit, isSet := webhook[field]; isSet && fmt.Sprint(limit) != "map[]" && fmt.Sprint(limit) != "[]" {
			return nil, fmt.Errorf("the webhook %v has %s, which a bundle has no place for: it would be asked for more objects\n    leave it out in a kustomization for the bundle, and have the webhook itself accept the others", webhook["name"], field)
		}
	}
	for _, field := range []string{"admissionReviewVersions", "failurePolicy", "matchPolicy", "objectSelector", "reinvocationPolicy", "rules", "sideEffects", "timeoutSeconds"} {
		if value, isSet := webhook[field]; isSet {
			definition[field] = value
		}
	}
	return definition, nil
}

// conversionDefinition returns the conversion webhook of a CRD, and nil if it has none.
func (o *Operator) conversionDefinition(crd *Object) (map[string]any, error) {
	if strategy, _, _ := unstructured.NestedString(crd.Object, "spec", "conversion", "strategy"); strategy != "Webhook" {
		return nil, nil
	}
	name := "of the conversion of " + crd.GetName()
	client, _, _ := unstructured.NestedMap(crd.Object, "spec", "conversion", "webhook", "clientConfig")
	path, err := servicePath(name, client)
	if err != nil {
		return nil, err
	}
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "conversion", "webhook", "conversionReviewVersions")
	return map[string]any{
		"type": "ConversionWebhook", "generateName": "c" + crd.GetName(), "deploymentName": o.manager.GetName(), "webhookPath": path,
		"containerPort": int64(443), "targetPort": o.webhookPort(), "admissionReviewVersions": versions, "sideEffects": "None",
		"conversionCRDs": []any{crd.GetName()},
	}, nil
}

// servicePath returns the path of a webhook at the Service of the operator, the only one that the Operator Lifecycle Manager
// makes.
func servicePath(webhook any, client map[string]any) (string, error) {
	service, _ := client["service"].(map[string]any)
	path, _ := service["path"].(string)
	name, _ := service["name"].(string)
	switch {
	case path == "":
		return "", fmt.Errorf("the webhook %v has no Service with a path, as the Operator Lifecycle Manager needs", webhook)
	case !strings.HasSuffix(name, webhookServiceSuffix):
		return "", fmt.Errorf("the webhook %v asks the Service %s, and the Operator Lifecycle Manager makes that of the operator alone", webhook, name)
	}
	return path, nil
}

// webhookPort returns the port of the operator that its Service of webhooks leads to.
func (o *Operator) webhookPort() any {
	for _, service := range ofKind(o.Objects, "Service") {
		ports, _, _ := unstructured.NestedSlice(service.Object, "spec", "ports")
		if !o.isWebhookService(service) || len(ports) == 0 {
			continue
		}
		port, _ := ports[0].(map[string]any)
		if target, isSet := port["targetPort"]; isSet {
			return target
		}
	}
	return int64(9443)
}

const webhookServiceSuffix = "-webhook-service"

// isWebhookService reports whether an object is the Service of the webhooks.
func (o *Operator) isWebhookService(object *Object) bool {
	return object.GetKind() == "Service" && strings.HasSuffix(object.GetName(), webhookServiceSuffix)
}

// isMadeByManager reports whether the Operator Lifecycle Manager makes an object itself, so that a bundle must not have
// it: the namespace, and what belongs to the webhooks that the ClusterServiceVersion lists.
func (o *Operator) isMadeByManager(object *Object) bool {
	switch object.GetKind() {
	case "Namespace":
		return object.GetName() == o.Namespace
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		return true
	case "Certificate":
		return o.isWebhookCertificate(object)
	case "Issuer":
		certificates := slices.DeleteFunc(ofKind(o.Objects, "Certificate"), func(certificate *Object) bool {
			issuer, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "name")
			return issuer != object.GetName()
		})
		return len(certificates) > 0 && !slices.ContainsFunc(certificates, func(c *Object) bool { return !o.isWebhookCertificate(c) })
	}
	return o.isWebhookService(object)
}

// isWebhookCertificate reports whether the operator mounts the Secret of a certificate as that of its webhooks.
func (o *Operator) isWebhookCertificate(certificate *Object) bool {
	secret, _, _ := unstructured.NestedString(certificate.Object, "spec", "secretName")
	var deployment appsv1.Deployment
	if err := decode(o.manager, &deployment); err != nil {
		return false
	}
	pod := deployment.Spec.Template.Spec
	for _, container := range pod.Containers {
		for _, mount := range container.VolumeMounts {
			isOfSecret := func(v corev1.Volume) bool {
				return v.Name == mount.Name && v.Secret != nil && v.Secret.SecretName == secret
			}
			if mount.MountPath == certificatePath && slices.ContainsFunc(pod.Volumes, isOfSecret) {
				return true
			}
		}
	}
	return false
}

// withoutConversionService removes from a CRD how the API server reaches the conversion: the manager writes that.
func withoutConversionService(crd *Object) {
	unstructured.RemoveNestedField(crd.Object, "spec", "conversion")
	annotations := crd.GetAnnotations()
	delete(annotations, "cert-manager.io/inject-ca-from")
	crd.SetAnnotations(annotations)
}
