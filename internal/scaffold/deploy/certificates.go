package deploy

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const certManagerGroup = "cert-manager.io"

// certificateObjects returns what has cert-manager make the certificate of the webhooks, and renew it.
func (o Operator) certificateObjects() []runtime.Object {
	host := o.ServiceName() + "." + o.Namespace() + ".svc"
	return []runtime.Object{
		o.certManagerObject("Issuer", o.issuerName(), map[string]any{"selfSigned": map[string]any{}}),
		o.certManagerObject("Certificate", o.certificateName(), map[string]any{
			"dnsNames":   []any{host, host + ".cluster.local"},
			"issuerRef":  map[string]any{"kind": "Issuer", "name": o.issuerName()},
			"secretName": o.secretName(),
		}),
	}
}

// certManagerObject returns an object of cert-manager, whose Go types opgen does without.
func (o Operator) certManagerObject(kind, name string, spec map[string]any) runtime.Object {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(certManagerGroup + "/v1")
	object.SetKind(kind)
	object.SetNamespace(o.Namespace())
	object.SetName(name)
	object.SetLabels(o.labels())
	return object
}
