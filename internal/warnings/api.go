package warnings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/descriptions"
	"github.com/opgen-dev/opgen/internal/spec"
)

// approval is the annotation that CRDs in the groups of Kubernetes need.
const approval = "api-approved.kubernetes.io"

// checkGroup warns of an API in a group of Kubernetes that is marked as not approved. The API
// server refuses a CRD without the annotation, which is an error and reported elsewhere.
func (w *warner) checkGroup() {
	group := w.api.Group
	if !strings.HasSuffix("."+group, ".k8s.io") && !strings.HasSuffix("."+group, ".kubernetes.io") {
		return
	}
	if value := w.api.Annotations[approval]; strings.HasPrefix(value, "unapproved") {
		w.addAtKey(spec.WarnGroup, "group", "is a group of Kubernetes, but the CRD is annotated as not approved",
			"choose a group of your own")
	}
}

// These sizes matter for a CRD, in bytes of JSON.
const (
	maxAnnotations = 256 << 10 // of all annotations of an object together, and kubectl apply stores the whole object in one
	maxEtcd        = 3 << 19   // etcd's default limit for a request
)

// checkSize warns of a CRD that is too large for kubectl apply, or for etcd. It writes the CRD as
// JSON only if it could be too large: JSON writes a byte as six at most.
func (w *warner) checkSize(maxDescLen int64) {
	if 6*w.crd.Size() <= maxAnnotations {
		return
	}
	text, err := json.Marshal(descriptions.Shorten(w.crd, maxDescLen))
	if err != nil {
		return // generate reports the error
	}
	const shorten = "shorten descriptions, as maxDescLen in opgen.yaml does, or leave versions out"
	switch size := len(text); {
	case size > maxEtcd:
		w.addAtKey(spec.WarnSize, "names.kind", fmt.Sprintf("the CRD has %d KiB, and etcd stores at most 1536 KiB by default", size>>10), shorten)
	case size > maxAnnotations:
		w.addAtKey(spec.WarnSize, "names.kind", fmt.Sprintf("the CRD has %d KiB, and kubectl apply works up to 256 KiB only", size>>10),
			"apply it with --server-side, as make install does, or "+shorten)
	}
}

// privileged are the kinds that grant rights or decide over other objects, as group/kind.
var privileged = map[string]string{
	"rbac.authorization.k8s.io/Role":                                "grants rights",
	"rbac.authorization.k8s.io/RoleBinding":                         "grants rights",
	"rbac.authorization.k8s.io/ClusterRole":                         "grants rights",
	"rbac.authorization.k8s.io/ClusterRoleBinding":                  "grants rights",
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration":   "decides over the objects of others",
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":     "decides over the objects of others",
	"admissionregistration.k8s.io/ValidatingAdmissionPolicy":        "decides over the objects of others",
	"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": "decides over the objects of others",
	"admissionregistration.k8s.io/MutatingAdmissionPolicy":          "decides over the objects of others",
	"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":   "decides over the objects of others",
	"apiextensions.k8s.io/CustomResourceDefinition":                 "adds kinds to the whole cluster",
	"apiregistration.k8s.io/APIService":                             "adds kinds to the whole cluster",
	"certificates.k8s.io/CertificateSigningRequest":                 "asks for the rights of another name",
}

// checkOperator warns of children that give more power than the writer of a parent should have.
func (w *warner) checkOperator() {
	if w.api.Operator == nil {
		return
	}
	warn := func(path, message, hint string) { w.addAtKey(spec.WarnPrivileged, path, message, hint) }
	warnOfPowerful(w.api.Operator, w.api.Names.Kind, warn)
	warnOfRules(w.api.Operator, warn)
	warnOfAutoscalers(w.api.Operator, func(path, message, hint string) { w.addAtKey(spec.WarnAutoscalers, path, message, hint) })
	w.checkNameLengths()
	if w.api.Scope == spec.Namespaced {
		warnOfAllNamespaces(w.api.Operator, w.api.Names.Kind, warn)
	}
	warnOfSecrets(w.api.Operator, w.api.Names.Kind, w.api.Scope == spec.Namespaced, func(path, message, hint string) {
		w.addAtKey(spec.WarnSecrets, path, message, hint)
	})
}

// warnOfAllNamespaces warns of children that can be in every namespace although their parents are
// namespaced: whoever can write a parent then writes to all namespaces.
func warnOfAllNamespaces(op *spec.Operator, parent string, warn func(path, message, hint string)) {
	for i, c := range op.Children {
		if slices.Contains(c.Namespaces, spec.AllNamespaces) {
			warn(fmt.Sprintf("operator.children[%d].namespaces", i),
				"whoever may write "+parent+" in one namespace makes the operator write "+c.Kind+" in any",
				"list the namespaces, or be sure that Sync lets no author of a "+parent+" choose which")
		}
	}
}

// warnOfPowerful warns of children of privileged kinds, each at its entry. The parent is how the
// message names the kinds of parents.
func warnOfPowerful(op *spec.Operator, parent string, warn func(path, message, hint string)) {
	for i, c := range op.Children {
		group, _, grouped := strings.Cut(c.APIVersion, "/")
		if power, found := privileged[group+"/"+c.Kind]; grouped && found {
			warn(fmt.Sprintf("operator.children[%d].kind", i),
				c.Kind+" "+power+", and whoever may write "+parent+" makes the operator do so",
				"be sure that Sync lets no author of a "+parent+" choose which")
		}
	}
}
