package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/toolmarks"
)

// injectors are the annotations by which a tool of a cluster writes the certificate of a conversion into the CRD.
var injectors = []string{
	"cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret", "cert-manager.io/inject-apiserver-ca",
	"certmanager.k8s.io/inject-ca-from", "service.beta.openshift.io/inject-cabundle",
}

// convertMetadata returns the annotations and labels of a CRD that are its author's. The name follows from the plural and
// the group, and the rest is of the cluster that the CRD was read from.
func (c *converter) convertMetadata(meta *yaml.Node) *yaml.Node {
	out, marks := newMapping(), marksOf(meta)
	for _, part := range []struct {
		key, word string
		isTools   func(key string) bool
	}{{"annotations", "annotation ", marks.HasAnnotation}, {"labels", "label ", marks.HasLabel}} {
		kept := newMapping()
		for _, e := range entriesOf(lookupPath(meta, part.key)) {
			if part.isTools(e.key.Value) {
				c.leftOut = append(c.leftOut, part.word+e.key.Value)
			} else {
				kept.set(e.key.Value, cleanValue(e.value))
			}
		}
		out.set(part.key, kept.nodeOrNil())
	}
	return out.nodeOrNil()
}

// marksOf returns the labels and annotations of an object.
func marksOf(meta *yaml.Node) toolmarks.Of {
	texts := func(key string) map[string]string {
		all := map[string]string{}
		for _, e := range entriesOf(lookupPath(meta, key)) {
			all[e.key.Value] = scalarText(e.value)
		}
		return all
	}
	return toolmarks.Of{Labels: texts("labels"), Annotations: texts("annotations")}
}

// convertConversion returns how objects are converted, and nil for the API server's default. A certificate that a tool of
// the cluster has written is left out.
func (c *converter) convertConversion(crd *yaml.Node) *yaml.Node {
	conversion := cleanValue(lookupPath(crd, "spec", "conversion"))
	if scalarText(lookupPath(conversion, "strategy")) == "None" && len(entriesOf(conversion)) == 1 {
		return nil
	}
	meta, client := lookupPath(crd, "metadata"), lookupPath(conversion, "webhook", "clientConfig")
	isInjected := lookupPath(meta, "labels", "olm.managed") != nil || slices.ContainsFunc(injectors, func(key string) bool { return lookupPath(meta, "annotations", key) != nil })
	if isInjected && lookupPath(client, "caBundle") != nil {
		removeKey(client, "caBundle")
		c.leftOut = append(c.leftOut, "spec.conversion.webhook.clientConfig.caBundle")
	}
	return conversion
}

// removeKey removes a key of a mapping.
func removeKey(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
