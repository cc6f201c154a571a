package deploy

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	podSecurityLabel = "pod-security.kubernetes.io/"
	restricted       = "restricted"
)

// Watched returns the namespaces that the operator watches; none: all.
func (o Operator) Watched() []string {
	switch {
	case o.Watch != spec.WatchNamespace:
		return nil
	case len(o.WatchNamespaces) > 0:
		return o.WatchNamespaces
	}
	return []string{o.Namespace()}
}

// NamespaceObjects returns the operator's namespace. It enforces the restricted pod security standard
// where the operator lives alone. Where it watches its own, the Pods of users are in it too, and it warns.
func (o Operator) NamespaceObjects() []runtime.Object {
	meta := o.objectMeta(o.Namespace())
	meta.Labels[podSecurityLabel+"warn"] = restricted
	if !slices.Contains(o.Watched(), o.Namespace()) {
		meta.Labels[podSecurityLabel+"enforce"] = restricted
		meta.Labels[podSecurityLabel+"audit"] = restricted
	}
	return []runtime.Object{&corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: meta,
	}}
}
