package packaging

import (
	"fmt"
	"slices"
	"strings"

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
		if definition := o.conversionDefinition(crd); definition != nil {
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
	path, found, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
	if err != nil || !found {
		return nil, fmt.Errorf("the webhook %v has no Service with a path, as the Operator Lifecycle Manager needs", webhook["name"])
	}
	definition := map[string]any{
		"type": kind, "generateName": webhook["name"], "deploymentName": o.manager.GetName(), "webhookPath": path,
		"containerPort": int64(443), "targetPort": o.webhookPort(),
	}
	for _, field := range []string{"admissionReviewVersions", "failurePolicy", "matchPolicy", "objectSelector", "reinvocationPolicy", "rules", "sideEffects", "timeoutSeconds"} {
		if value, isSet := webhook[field]; isSet {
			definition[field] = value
		}
	}
	return definition, nil
}

// conversionDefinition returns the conversion webhook of a CRD, and nil if it has none.
func (o *Operator) conversionDefinition(crd *Object) map[string]any {
	path, found, err := unstructured.NestedString(crd.Object, "spec", "conversion", "webhook", "clientConfig", "service", "path")
	if err != nil || !found {
		return nil
	}
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "conversion", "webhook", "conversionReviewVersions")
	return map[string]any{
		"type": "ConversionWebhook", "generateName": "c" + crd.GetName(), "deploymentName": o.manager.GetName(), "webhookPath": path,
		"containerPort": int64(443), "targetPort": o.webhookPort(), "admissionReviewVersions": versions, "sideEffects": "None",
		"conversionCRDs": []any{crd.GetName()},
	}
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

// isWebhookService reports whether an object is the Service of the webhooks, which the manager makes itself.
func (o *Operator) isWebhookService(object *Object) bool {
	return object.GetKind() == "Service" && strings.HasSuffix(object.GetName(), "-webhook-service")
}

// withoutConversionService removes from a CRD how the API server reaches the conversion: the manager writes that.
func withoutConversionService(crd *Object) {
	unstructured.RemoveNestedField(crd.Object, "spec", "conversion")
	annotations := crd.GetAnnotations()
	delete(annotations, "cert-manager.io/inject-ca-from")
	crd.SetAnnotations(annotations)
}
