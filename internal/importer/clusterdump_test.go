package importer

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// dumped is a CRD with metadata and a conversion, as clusters have it.
func dumped(metadata, conversion string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: jobs.dump.example.com\n" + metadata +
		"spec:\n" + conversion + "  group: dump.example.com\n  names: {kind: Job, listKind: JobList, plural: jobs, singular: job}\n  preserveUnknownFields: false\n  scope: Namespaced\n" +
		"  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}}\n" +
		"status: {storedVersions: [v1]}\n"
}

// What the tools of a cluster wrote is left out and named; what the author says stays, also what such tools read.
func TestImportLeavesOutWhatToolsWrote(t *testing.T) {
	for given, tc := range map[string]struct {
		annotations, labels string
		leftOut, stays      []string
	}{
		"kubectl": {"kubectl.kubernetes.io/last-applied-configuration: '{}'", "", []string{"annotation kubectl.kubernetes.io/last-applied-configuration"}, nil},
		"Helm": {
			"meta.helm.sh/release-name: a, meta.helm.sh/release-namespace: b, helm.sh/resource-policy: keep, helm.sh/hook: crd-install", "app.kubernetes.io/managed-by: Helm, app.kubernetes.io/instance: a, app.kubernetes.io/version: v1, helm.sh/chart: a-1.0.0, app.kubernetes.io/name: jobs",
			[]string{"annotation helm.sh/hook", "annotation helm.sh/resource-policy", "annotation meta.helm.sh/release-name", "annotation meta.helm.sh/release-namespace",
				"label app.kubernetes.io/instance", "label app.kubernetes.io/managed-by", "label app.kubernetes.io/version", "label helm.sh/chart"},
			[]string{"app.kubernetes.io/name: jobs"},
		},
		"Helm 2": {"", "chart: a-1, release: a, heritage: Tiller, app: jobs", []string{"label chart", "label heritage", "label release"}, []string{"app: jobs"}},
		"Argo CD": {
			"'argocd.argoproj.io/tracking-id': 'x:y', 'argocd.argoproj.io/sync-options': Replace=true, 'argocd.argoproj.io/sync-wave': '-1'", "argocd.argoproj.io/instance: p",
			[]string{"annotation argocd.argoproj.io/tracking-id", "label argocd.argoproj.io/instance"}, []string{"argocd.argoproj.io/sync-options: Replace=true", "argocd.argoproj.io/sync-wave"},
		},
		"Flux": {
			"kustomize.toolkit.fluxcd.io/prune: disabled, kustomize.toolkit.fluxcd.io/checksum: a", "kustomize.toolkit.fluxcd.io/name: a, kustomize.toolkit.fluxcd.io/namespace: b, helm.toolkit.fluxcd.io/name: c",
			[]string{"annotation kustomize.toolkit.fluxcd.io/checksum", "label helm.toolkit.fluxcd.io/name", "label kustomize.toolkit.fluxcd.io/name", "label kustomize.toolkit.fluxcd.io/namespace"},
			[]string{"kustomize.toolkit.fluxcd.io/prune: disabled"},
		},
		"the Operator Lifecycle Manager": {
			"operatorframework.io/installed-alongside-abc: a/b", "olm.managed: 'true', operators.coreos.com/jobs.ns: ''",
			[]string{"annotation operatorframework.io/installed-alongside-abc", "label olm.managed", "label operators.coreos.com/jobs.ns"}, nil,
		},
		"kustomize": {
			"config.kubernetes.io/origin: 'path: a', internal.config.kubernetes.io/index: '1', alpha.config.kubernetes.io/transformations: x, config.kubernetes.io/local-config: 'true'", "app.kubernetes.io/managed-by: kustomize",
			[]string{"annotation alpha.config.kubernetes.io/transformations", "annotation config.kubernetes.io/origin", "annotation internal.config.kubernetes.io/index", "label app.kubernetes.io/managed-by"},
			[]string{"config.kubernetes.io/local-config"},
		},
		"kapp": {
			"kapp.k14s.io/identity: v1, kapp.k14s.io/original: '{}', kapp.k14s.io/original-diff-md5: a, kapp.k14s.io/change-group: mine", "kapp.k14s.io/app: '1', kapp.k14s.io/association: v1",
			[]string{"annotation kapp.k14s.io/identity", "annotation kapp.k14s.io/original", "annotation kapp.k14s.io/original-diff-md5", "label kapp.k14s.io/app", "label kapp.k14s.io/association"},
			[]string{"kapp.k14s.io/change-group"},
		},
		"Rancher":          {"objectset.rio.cattle.io/applied: H4sI", "objectset.rio.cattle.io/hash: a", []string{"annotation objectset.rio.cattle.io/applied", "label objectset.rio.cattle.io/hash"}, nil},
		"controller-gen":   {"controller-gen.kubebuilder.io/version: v0.16.5", "", []string{"annotation controller-gen.kubebuilder.io/version"}, nil},
		"another operator": {"example.com/last-applied-hash: a", "", []string{"annotation example.com/last-applied-hash"}, nil},
		"the author":       {"api-approved.kubernetes.io: 'https://example.com', cert-manager.io/inject-ca-from: a/b, example.com/helm: x", "app.kubernetes.io/managed-by: my-team, app.kubernetes.io/version: v1, app.kubernetes.io/part-of: jobs, release: stable", nil, []string{"managed-by: my-team", "version: v1", "part-of: jobs", "release: stable", "inject-ca-from", "api-approved", "example.com/helm"}},
	} {
		t.Run(given, func(t *testing.T) {
			specs, problems := Import("a.yaml", []byte(dumped("  annotations: {"+tc.annotations+"}\n  labels: {"+tc.labels+"}\n", "")))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(specs[0].LeftOut, "\n"); got != strings.Join(tc.leftOut, "\n") {
				t.Errorf("left out:\n%s", got)
			}
			text := string(specs[0].Text)
			for _, what := range tc.leftOut {
				if _, key, _ := strings.Cut(what, " "); strings.Contains(text, key+":") {
					t.Errorf("%s is in the spec file:\n%s", what, text)
				}
			}
			for _, part := range tc.stays {
				if !strings.Contains(text, part) {
					t.Errorf("%s is not in the spec file:\n%s", part, text)
				}
			}
			if len(tc.stays) == 0 && strings.Contains(text, "metadata") {
				t.Errorf("nothing of the metadata is left, and yet there is some:\n%s", text)
			}
		})
	}
}

// The conversion None is the API server's default. The certificate that an injector wrote is that of a cluster.
func TestImportLeavesOutWhatTheClusterWrote(t *testing.T) {
	const webhook = "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig: {caBundle: Cg==, service: {name: s, namespace: dump, path: /convert, port: 443}}\n"
	for given, tc := range map[string]struct {
		metadata, conversion string
		parts, absent        []string
		leftOut              string
	}{
		"None":                  {"", "  conversion: {strategy: None}\n", nil, []string{"conversion"}, ""},
		"injected":              {"  annotations: {cert-manager.io/inject-ca-from: a/b}\n", webhook, []string{"name: s", "inject-ca-from"}, []string{"caBundle"}, "spec.conversion.webhook.clientConfig.caBundle"},
		"by the manager":        {"  labels: {olm.managed: 'true'}\n", webhook, []string{"name: s"}, []string{"caBundle"}, "label olm.managed, spec.conversion.webhook.clientConfig.caBundle"},
		"an author's own":       {"", webhook, []string{"caBundle: Cg=="}, nil, ""},
		"of nothing but itself": {"  annotations: {}\n  labels: {}\n  managedFields: []\n  uid: a\n  generation: 3\n", "", nil, []string{"uid", "generation", "metadata"}, ""},
	} {
		t.Run(given, func(t *testing.T) {
			specs, problems := Import("a.yaml", []byte(dumped(tc.metadata, tc.conversion)))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			text := string(specs[0].Text)
			for _, part := range tc.parts {
				if !strings.Contains(text, part) {
					t.Errorf("%s is not in the spec file:\n%s", part, text)
				}
			}
			for _, part := range tc.absent {
				if strings.Contains(text, part) {
					t.Errorf("%s is in the spec file:\n%s", part, text)
				}
			}
			if got := strings.Join(specs[0].LeftOut, ", "); got != tc.leftOut {
				t.Errorf("left out %q, expected %q", got, tc.leftOut)
			}
			if _, problems := crdgen.CRD(specs[0].API, spec.DefaultMinKubernetes); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
}

// A list has CRDs, whatever kind of list it is; what the API server sends has no kind in its items.
func TestImportReadsLists(t *testing.T) {
	indented := strings.ReplaceAll(strings.TrimSuffix(dumped("", ""), "\n"), "\n", "\n  ")
	bare := strings.Replace(indented, "apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  ", "", 1)
	for given, text := range map[string]string{
		"List":                         "apiVersion: v1\nkind: List\nitems:\n- " + indented + "\n",
		"CustomResourceDefinitionList": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nmetadata: {resourceVersion: '1'}\nitems:\n- " + indented + "\n",
		"items without a kind":         "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems:\n- " + bare + "\n",
		"a list in a list":             "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinitionList\n  items:\n  - " + strings.ReplaceAll(indented, "\n", "\n  ") + "\n",
		"a list of others beside it":   "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}]\n---\n" + dumped("", ""),
		"a JSON list":                  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinitionList","items":[{"metadata":{"name":"jobs.dump.example.com"},"spec":{"group":"dump.example.com","names":{"kind":"Job","plural":"jobs"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}]}`,
	} {
		specs, problems := Import("a.yaml", []byte(text))
		if err := problems.Err(); err != nil || len(specs) != 1 || specs[0].Kind != "Job" {
			t.Errorf("%s: %d specs, %v", given, len(specs), err)
		}
		if crds, problems := CRDs("a.yaml", []byte(text)); len(problems) > 0 || len(crds) != 1 || crds[0].Object.Spec.Group != "dump.example.com" {
			t.Errorf("%s: %d CRDs, %v", given, len(crds), problems)
		}
	}
	old := "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinitionList\nitems:\n- " + bare + "\n"
	if _, problems := Import("a.yaml", []byte(old)); !strings.Contains(problems.Error(), "v1beta1") {
		t.Errorf("problems %v", problems)
	}
}
