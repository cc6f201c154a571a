package packaging

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/spec"
)

// bundleOf returns the files of a bundle of the example with more objects.
func bundleOf(t *testing.T, objects string) (map[string]string, error) {
	t.Helper()
	o, err := readProject(t, spec.Package{}, map[string]string{"deploy/manager.yaml": objects})
	if err != nil {
		t.Fatal(err)
	}
	files, err := Bundle(o, "stable", "")
	made := map[string]string{}
	for _, f := range files {
		made[strings.TrimPrefix(f.Path, BundleDir+"/")] = string(f.Content)
	}
	return made, err
}

const (
	binding = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: more}\n"
	toOp    = "subjects: [{kind: ServiceAccount, name: op, namespace: op-system}]\n"
	service = "webhooks: [{name: w.example.com, clientConfig: {service: {name: op-webhook-service, namespace: op-system, path: /w}}"
	hooks   = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\n"
	crd     = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cups.example.com}\nspec:\n  group: example.com\n  names: {kind: Cup}\n"
)

// TestBundleLosesNothing has what a bundle has no place for: each is an error that says so.
func TestBundleLosesNothing(t *testing.T) {
	for given, tc := range map[string]struct{ objects, message string }{
		"a role of the cluster": {binding + "roleRef: {kind: ClusterRole, name: view}\n" + toOp, "the ClusterRole view, which the kustomization does not have (binding more)"},
		"an aggregated role": {
			binding + "roleRef: {kind: ClusterRole, name: all}\n" + toOp + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: all}\naggregationRule: {clusterRoleSelectors: [{}]}\n",
			"ClusterRole all, which the cluster aggregates",
		},
		"a binding to nobody": {binding + "roleRef: {kind: ClusterRole, name: op}\nsubjects: []\n", "no ClusterRoleBinding but that of the operator, such as ClusterRoleBinding more"},
		"a Role of another namespace": {
			"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: more, namespace: op-system}\nroleRef: {kind: Role, name: r}\n" + toOp +
				"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: other}\n", "the Role r, which the kustomization does not have",
		},
		"another namespace":         {"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: second}\n", "no Namespace but that of the operator, such as Namespace second"},
		"a certificate of metrics":  {"---\napiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: m, namespace: op-system}\nspec: {secretName: m, issuerRef: {name: i}}\n", "no Certificate but that of the operator's webhooks, such as Certificate m"},
		"an issuer":                 {"---\napiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: i, namespace: op-system}\n", "no Issuer but that of the operator's webhooks, such as Issuer i"},
		"namespaces of a webhook":   {hooks + service + ", namespaceSelector: {matchLabels: {a: b}}}]\n", "w.example.com has namespaceSelector"},
		"conditions of a webhook":   {hooks + service + ", matchConditions: [{name: a, expression: 'true'}]}]\n", "w.example.com has matchConditions"},
		"a webhook of another":      {hooks + strings.Replace(service, "op-webhook-service", "other", 1) + "}]\n", "asks the Service other"},
		"a webhook by URL":          {hooks + "webhooks: [{name: w.example.com, clientConfig: {url: 'https://example.com'}}]\n", "has no Service with a path"},
		"a conversion by URL":       {crd + "  conversion: {strategy: Webhook, webhook: {clientConfig: {url: 'https://example.com'}}}\n", "has no Service with a path"},
		"two objects in one file":   {"---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: op-system}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s, namespace: op-system}\n", "manifests/s_service.yaml"},
		"a kind that bundles lack":  {"---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p, namespace: op-system}\n", "no PersistentVolumeClaim, such as PersistentVolumeClaim p"},
		"another service account":   {"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s, namespace: op-system}\n", "no ServiceAccount but that of the operator"},
		"an object somewhere else":  {"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: other}\n", "no objects in the namespace other"},
		"a binding somewhere else":  {"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: more, namespace: other}\nroleRef: {kind: ClusterRole, name: op}\n" + toOp, "no RoleBinding in another namespace"},
		"a binding of somebody too": {binding + "roleRef: {kind: ClusterRole, name: op}\nsubjects: [{kind: Group, name: g}]\n", "no ClusterRoleBinding but that of the operator"},
	} {
		t.Run(given, func(t *testing.T) {
			made, err := bundleOf(t, tc.objects)
			if err == nil || !strings.Contains(err.Error(), tc.message) || !strings.Contains(err.Error(), "a bundle") && !strings.Contains(err.Error(), "Operator Lifecycle Manager") && !strings.Contains(err.Error(), "two objects") {
				t.Errorf("error %v, expected %s\n%v", err, tc.message, made)
			}
		})
	}
}

// TestBundleLosesNoFields has fields of the operator's own objects.
func TestBundleLosesNoFields(t *testing.T) {
	for field, tc := range map[string]struct{ kind, text string }{
		"annotations of a ServiceAccount":      {"ServiceAccount", "metadata: {name: op, namespace: op-system, annotations: {role: arn}}"},
		"imagePullSecrets of a ServiceAccount": {"ServiceAccount", "metadata: {name: op, namespace: op-system}\nimagePullSecrets: [{name: a}]"},
		"annotations of a Deployment":          {"Deployment", "metadata: {name: op-controller-manager, namespace: op-system, annotations: {a: b}}"},
	} {
		version := map[string]string{"ServiceAccount": "v1", "Deployment": "apps/v1"}[tc.kind]
		o, err := readProject(t, spec.Package{}, map[string]string{
			"deploy/kustomization.yaml": "patches: [{path: patch.yaml}]\n", "deploy/patch.yaml": "apiVersion: " + version + "\nkind: " + tc.kind + "\n" + tc.text + "\n",
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Bundle(o, "stable", ""); err == nil || !strings.Contains(err.Error(), "a bundle cannot have "+field) {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func TestBundleHasTheOperatorsRules(t *testing.T) {
	made, err := bundleOf(t, "")
	if err != nil || !strings.Contains(made["manifests/op.clusterserviceversion.yaml"], "- configmaps") {
		t.Errorf("error %v, %v", err, made)
	}
}
