package deploy

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/internal/spec"
)

// TestNamesAndNamespacesFollowAnOverlay renders each operator with all components as users deploy it twice:
// in another namespace, and with a prefix.
func TestNamesAndNamespacesFollowAnOverlay(t *testing.T) {
	for name, o := range operators(t) {
		t.Run(name, func(t *testing.T) {
			d := deploymentOf(t, o)
			objects := d.render(d.overlay("staging", d.everything()+"namespace: staging\nnamePrefix: s-\n"))
			for _, object := range objects {
				if isNamespaced(object) && object.GetNamespace() != "staging" {
					t.Errorf("%s %s is in namespace %s", object.GetKind(), object.GetName(), object.GetNamespace())
				}
			}
			if got := find(t, objects, "Namespace", "").GetName(); got != "staging" {
				t.Errorf("the Namespace is %s", got)
			}
			checkReferences(t, objects)
		})
	}
}

// isNamespaced reports whether objects of a kind of a deployment are in a namespace.
func isNamespaced(object *unstructured.Unstructured) bool {
	switch object.GetKind() {
	case "Namespace", "ClusterRole", "ClusterRoleBinding", "PriorityClass", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		return false
	}
	return true
}

// checkReferences looks for each name that an object holds of another one.
func checkReferences(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	has := func(of, kind, namespace, name any) {
		t.Helper()
		for _, object := range objects {
			if object.GetKind() == kind && object.GetName() == name && (!isNamespaced(object) || object.GetNamespace() == namespace) {
				return
			}
		}
		t.Errorf("%s names %s %v of namespace %v, which is not there", of, kind, name, namespace)
	}
	for _, object := range objects {
		of, namespace := object.GetKind()+" "+object.GetName(), any(object.GetNamespace())
		switch object.GetKind() {
		case "Deployment":
			has(of, "ServiceAccount", namespace, field(t, object, "spec", "template", "spec", "serviceAccountName"))
			has(of, "PriorityClass", nil, field(t, object, "spec", "template", "spec", "priorityClassName"))
		case "RoleBinding", "ClusterRoleBinding":
			has(of, "ServiceAccount", field(t, object, "subjects", 0, "namespace"), field(t, object, "subjects", 0, "name"))
			has(of, field(t, object, "roleRef", "kind").(string), namespace, field(t, object, "roleRef", "name"))
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			webhooks, _ := field(t, object, "webhooks").([]any)
			for i := range webhooks {
				if service, isService := field(t, object, "webhooks", i, "clientConfig", "service").(map[string]any); isService {
					has(of, "Service", service["namespace"], service["name"])
				}
			}
		case "Certificate":
			has(of, "Issuer", namespace, field(t, object, "spec", "issuerRef", "name"))
		}
	}
}

// TestPrometheusChecksTheCertificateByTheNameInIt holds in every namespace and with every prefix.
func TestPrometheusChecksTheCertificateByTheNameInIt(t *testing.T) {
	d := deploymentOf(t, operators(t)["cluster"])
	objects := d.render(d.overlay("staging", "components: [../../deploy/components/service-monitor-cert-manager]\nnamespace: staging\nnamePrefix: s-\n"))
	monitor, certificate := find(t, objects, "ServiceMonitor", ""), find(t, objects, "Certificate", "")
	deployment := find(t, objects, "Deployment", "")
	tls := field(t, monitor, "spec", "endpoints", 0, "tlsConfig").(map[string]any)
	if name := field(t, certificate, "spec", "dnsNames", 0); tls["serverName"] != name || tls["insecureSkipVerify"] != nil {
		t.Errorf("Prometheus expects %v, and the certificate is for %v", tls["serverName"], name)
	}
	secret := field(t, certificate, "spec", "secretName")
	if read := field(t, monitor, "spec", "endpoints", 0, "tlsConfig", "ca", "secret", "name"); read != secret {
		t.Errorf("Prometheus reads the Secret %v, the certificate is in %v", read, secret)
	}
	if mounted := field(t, deployment, "spec", "template", "spec", "volumes", 0, "secret", "secretName"); mounted != secret {
		t.Errorf("the operator mounts the Secret %v, the certificate is in %v", mounted, secret)
	}
	if args := field(t, deployment, "spec", "template", "spec", "containers", 0, "args").([]any); len(args) != 4 {
		t.Errorf("the component changes the arguments: %v", args)
	}
	service := find(t, objects, "Service", "metrics-service")
	for label, value := range field(t, monitor, "spec", "selector", "matchLabels").(map[string]any) {
		if service.GetLabels()[label] != value {
			t.Errorf("the ServiceMonitor selects %s=%v, and the Service has %q", label, value, service.GetLabels()[label])
		}
	}
	if port := field(t, monitor, "spec", "endpoints", 0, "port"); port != field(t, service, "spec", "ports", 0, "name") {
		t.Errorf("the ServiceMonitor names the port %v", port)
	}
}

// overlayOfTheDocs renders one of the overlays that docs/deploying.md shows over an operator.
func overlayOfTheDocs(t *testing.T, o Operator, number int) []*unstructured.Unstructured {
	t.Helper()
	page, err := os.ReadFile("../../../docs/deploying.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), "```yaml\n# overlays/staging/kustomization.yaml\n")
	if len(parts) != 3 {
		t.Fatalf("the page has %d overlays", len(parts)-1)
	}
	text, _, _ := strings.Cut(parts[number], "```")
	d := deploymentOf(t, o)
	d.write("overlays/staging/kustomization.yaml", text)
	return d.render("overlays/staging")
}

func TestOverlayOfTheDocsChangesImageReplicasAndResources(t *testing.T) {
	o := operators(t)["cluster"]
	o.Name = "echo-operator"
	objects := overlayOfTheDocs(t, o, 1)
	checkReferences(t, objects)
	deployment := find(t, objects, "Deployment", "")
	container := field(t, deployment, "spec", "template", "spec", "containers", 0).(map[string]any)
	if container["image"] != "registry.example.com/echo-operator:v2" || field(t, deployment, "spec", "replicas") != int64(1) {
		t.Errorf("%v replicas of %v", field(t, deployment, "spec", "replicas"), container["image"])
	}
	if limit := field(t, deployment, "spec", "template", "spec", "containers", 0, "resources", "limits", "memory"); limit != "1Gi" {
		t.Errorf("the limit is %v", limit)
	}
	if args := container["args"].([]any); len(args) != 4 {
		t.Errorf("the arguments are %v", args)
	}
}

// TestReplacementsOfTheDocsMoveTheCertificateOfWebhooks holds the names within texts against those of the
// objects.
func TestReplacementsOfTheDocsMoveTheCertificateOfWebhooks(t *testing.T) {
	o := withWebhooksOf(t, "echo-operator", spec.Certificates{From: spec.CertManager}, mutating+validating)
	objects := overlayOfTheDocs(t, o, 2)
	checkReferences(t, objects)
	certificate, service := find(t, objects, "Certificate", "serving-cert"), find(t, objects, "Service", "webhook-service")
	if host := service.GetName() + ".staging.svc"; field(t, certificate, "spec", "dnsNames", 0) != host || field(t, certificate, "spec", "dnsNames", 1) != host+".cluster.local" {
		t.Errorf("the certificate is for %v, and the API server asks %s", field(t, certificate, "spec", "dnsNames"), host)
	}
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		if from := find(t, objects, kind, "").GetAnnotations()["cert-manager.io/inject-ca-from"]; from != "staging/"+certificate.GetName() {
			t.Errorf("%s takes the authority from %s", kind, from)
		}
	}
}

// TestComponentsThatExcludeEachOtherAreAnError, so that nobody has one of them without knowing.
func TestComponentsThatExcludeEachOtherAreAnError(t *testing.T) {
	d := deploymentOf(t, operators(t)["cluster"])
	for _, pair := range []string{"api-roles, ../../deploy/components/api-roles-aggregated", "service-monitor, ../../deploy/components/service-monitor-cert-manager"} {
		if _, err := d.tryRender(d.overlay("both", "components: [../../deploy/components/"+pair+"]\n")); err == nil || !strings.Contains(err.Error(), "already registered id") {
			t.Errorf("%s: %v", pair, err)
		}
	}
}
