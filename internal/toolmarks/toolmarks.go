// Package toolmarks knows the labels and annotations that the tools of a cluster write into objects: kubectl, Helm, Argo CD,
// Flux, the Operator Lifecycle Manager, kustomize, kapp, Rancher, Velero and controller-gen. They say how an object came
// there, and are not what its author says of it. What these tools read is the author's: options of Argo CD, for example.
package toolmarks

import (
	"slices"
	"strings"
)

// Of are the labels and annotations of an object. Some of them are those of a tool only if the object is a tool's.
type Of struct{ Labels, Annotations map[string]string }

// annotations are those of tools by their names, and annotationPrefixes by the beginning of their names.
var (
	annotations = []string{
		"argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id",
		"controller-gen.kubebuilder.io/version",
		"kustomize.toolkit.fluxcd.io/checksum",
		"kapp.k14s.io/identity", "kapp.k14s.io/nonce",
		"config.k8s.io/owning-inventory", "config.kubernetes.io/origin", "config.kubernetes.io/index", "config.kubernetes.io/path",
	}
	annotationPrefixes = []string{
		"helm.sh/", "meta.helm.sh/", "kapp.k14s.io/original", "internal.config.kubernetes.io/", "alpha.config.kubernetes.io/", "internal.kpt.dev/",
		"operatorframework.io/installed-alongside-", "olm.operatorframework.io/", "objectset.rio.cattle.io/", "field.cattle.io/",
		"configmanagement.gke.io/", "configsync.gke.io/",
	}
	labels = []string{
		"app.kubernetes.io/instance", "argocd.argoproj.io/instance",
		"kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace", "helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace",
		"kapp.k14s.io/app", "kapp.k14s.io/association", "cli-utils.sigs.k8s.io/inventory-id", "addonmanager.kubernetes.io/mode",
		"velero.io/backup-name", "velero.io/restore-name", "k8slens-edit-resource-version", "cattle.io/creator",
	}
	labelPrefixes = []string{
		"helm.sh/", "olm.", "operators.coreos.com/", "olm.operatorframework.io/", "objectset.rio.cattle.io/", "io.cattle.field/",
		"configmanagement.gke.io/", "configsync.gke.io/",
	}
	// helmLabels are written by charts, of which they say the version and the release.
	helmLabels = []string{"app.kubernetes.io/version", "chart", "release", "heritage"}
	// managers are the values of app.kubernetes.io/managed-by that name a tool, in lower case.
	managers = []string{"helm", "tiller", "kustomize", "argocd", "argo-cd", "argo cd", "flux", "fluxcd", "kapp", "olm", "operator-lifecycle-manager", "pulumi", "terraform", "rancher"}
)

// HasAnnotation reports whether an annotation is that of a tool. One whose name begins with last-applied is how a tool
// remembers the object.
func (o Of) HasAnnotation(key string) bool {
	_, name, _ := strings.Cut(key, "/")
	return slices.Contains(annotations, key) || hasPrefixOf(key, annotationPrefixes) || strings.HasPrefix(name, "last-applied")
}

// HasLabel reports whether a label is that of a tool.
func (o Of) HasLabel(key string) bool {
	switch {
	case key == "app.kubernetes.io/managed-by":
		return slices.Contains(managers, strings.ToLower(o.Labels[key]))
	case slices.Contains(helmLabels, key):
		return o.isOfHelm()
	}
	return slices.Contains(labels, key) || hasPrefixOf(key, labelPrefixes)
}

// isOfHelm reports whether a chart has made the object.
func (o Of) isOfHelm() bool {
	for _, key := range []string{"app.kubernetes.io/managed-by", "heritage"} {
		if manager := strings.ToLower(o.Labels[key]); manager == "helm" || manager == "tiller" {
			return true
		}
	}
	_, hasChart := o.Labels["helm.sh/chart"]
	_, hasRelease := o.Annotations["meta.helm.sh/release-name"]
	return hasChart || hasRelease
}

func hasPrefixOf(key string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
