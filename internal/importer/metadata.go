package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// embeddedMetadata returns which fields the Kubernetes types of a CRD list for the metadata of
// embedded objects. This depends on an option of controller-gen, so it is the same in a whole CRD.
// If types seem to differ, the majority decides.
func (c *typeFinder) embeddedMetadata(crd *yaml.Node) kubetypes.Metadata {
	counts := map[kubetypes.Metadata]int{}
	for _, v := range itemsOf(lookupPath(crd, "spec", "versions")) {
		c.visitObjects(lookupPath(v, "schema", "openAPIV3Schema"), func(asType digest, fields *yaml.Node) {
			known := findKubernetesType(fields, func(t kubernetesType) bool {
				return t.digests.all != t.digests.none && (t.digests.all == asType || t.digests.labels == asType || t.digests.none == asType)
			})
			switch asType {
			case known.digests.all:
				counts[kubetypes.AllMetadata]++
			case known.digests.labels:
				counts[kubetypes.LabelMetadata]++
			case known.digests.none:
				counts[kubetypes.NoMetadata]++
			}
		})
	}
	most := kubetypes.LabelMetadata
	for _, metadata := range []kubetypes.Metadata{kubetypes.AllMetadata, kubetypes.NoMetadata} {
		if counts[metadata] > counts[most] {
			most = metadata
		}
	}
	return most
}

// visitObjects calls visit with every object in a schema that has fields.
func (c *typeFinder) visitObjects(n *yaml.Node, visit func(asType digest, fields *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	if fields := lookupKey(n, "properties"); fields != nil {
		visit(c.digester.digests(n).asType, fields)
		for _, e := range entriesOf(fields) {
			c.visitObjects(e.value, visit)
		}
	}
	c.visitObjects(lookupKey(n, "items"), visit)
	c.visitObjects(lookupKey(n, "additionalProperties"), visit)
}
