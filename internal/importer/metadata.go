package importer

import "go.yaml.in/yaml/v3"

// hasBareMetadata reports whether the Kubernetes types of a CRD name no fields of the metadata of
// the objects in them. All of a CRD are made in one way: where some seem to be of the other, most
// count.
func (c *typeFinder) hasBareMetadata(crd *yaml.Node) bool {
	bare, described := 0, 0
	for _, v := range itemsOf(lookupPath(crd, "spec", "versions")) {
		c.eachObject(lookupPath(v, "schema", "openAPIV3Schema"), func(shape digest, fields *yaml.Node) {
			known := lookupKubernetes(fields, func(t kubernetesType) bool {
				return t.shapes.described != t.shapes.bare && (t.shapes.described == shape || t.shapes.bare == shape)
			})
			switch shape {
			case known.shapes.bare:
				bare++
			case known.shapes.described:
				described++
			}
		})
	}
	return bare > described
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
