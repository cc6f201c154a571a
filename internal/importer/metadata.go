package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// embeddedMetadata returns which fields of the metadata of objects the Kubernetes types of a CRD
// name. All of a CRD are made in one way: where they seem to differ, most count.
func (c *typeFinder) embeddedMetadata(crd *yaml.Node) kubetypes.Metadata {
	counts := map[kubetypes.Metadata]int{}
	for _, v := range itemsOf(lookupPath(crd, "spec", "versions")) {
		c.eachObject(lookupPath(v, "schema", "openAPIV3Schema"), func(shape digest, fields *yaml.Node) {
			known := lookupKubernetes(fields, func(t kubernetesType) bool {
				return t.shapes.all != t.shapes.none && (t.shapes.all == shape || t.shapes.labels == shape || t.shapes.none == shape)
			})
			switch shape {
			case known.shapes.all:
				counts[kubetypes.AllMetadata]++
			case known.shapes.labels:
				counts[kubetypes.LabelMetadata]++
			case known.shapes.none:
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

// eachObject calls visit with every object that has fields.
func (c *typeFinder) eachObject(n *yaml.Node, visit func(shape digest, fields *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	if fields := lookupKey(n, "properties"); fields != nil {
		visit(c.prints.of(n).shape, fields)
		for _, e := range entriesOf(fields) {
			c.eachObject(e.value, visit)
		}
	}
	c.eachObject(lookupKey(n, "items"), visit)
	c.eachObject(lookupKey(n, "additionalProperties"), visit)
}
