package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// convertVersion returns one version of a spec file. A version that is alone is the storage version
// by default.
func (c *converter) convertVersion(v *yaml.Node, alone bool) *yaml.Node {
	out, name := newMapping(), scalarText(lookupPath(v, "name"))
	c.refuseUnknown(v, "spec.versions."+name, versionKeys)
	out.set("name", textNode(name))
	if !isTrue(lookupPath(v, "served")) {
		out.set("served", boolNode(false))
	}
	if isTrue(lookupPath(v, "storage")) && !alone {
		out.set("storage", boolNode(true))
	}
	if isTrue(lookupPath(v, "deprecated")) {
		out.set("deprecated", boolNode(true))
	}
	out.set("deprecationWarning", lookupPath(v, "deprecationWarning"))
	root := lookupPath(v, "schema", "openAPIV3Schema")
	c.setRoot(out, root, name)
	status := lookupPath(root, "properties", "status") != nil
	c.setSubresources(out, lookupPath(v, "subresources"), status, name)
	out.set("columns", c.convertColumns(lookupPath(v, "additionalPrinterColumns"), name))
	if fields := lookupPath(v, "selectableFields"); fields != nil {
		var paths []string
		for _, f := range fields.Content {
			paths = append(paths, scalarText(lookupPath(f, "jsonPath")))
		}
		out.set("selectableFields", textListNode(paths))
	}
	return out.Node
}

// setRoot sets the keys that describe the root schema: description and standardRoot, schema for
// what is neither of these nor spec nor status, and spec and status.
func (c *converter) setRoot(out mapping, root *yaml.Node, version string) {
	path := version + ".schema"
	out.set("description", lookupPath(root, "description"))
	properties := lookupPath(root, "properties")
	specNode, status := lookupPath(properties, "spec"), lookupPath(properties, "status")
	rest, standard := standardRoot(properties)
	if !standard {
		out.set("standardRoot", boolNode(false))
	}
	schema := newMapping()
	if root != nil && lookupPath(root, "type") == nil {
		schema.set("type", textNode(""))
	}
	for _, e := range entriesOf(root) {
		switch e.key.Value {
		case "description":
		case "type":
			if e.value.Value != "object" {
				schema.set("type", e.value)
			}
		case "properties":
			if !rest.isEmpty() {
				schema.set("properties", c.convertProperties(rest.Node, nil, path))
			}
		case "required":
		default:
			c.setKeyword(schema, e, path)
		}
	}
	var implied []string
	if standard && len(itemsOf(lookupPath(specNode, "required"))) > 0 {
		implied = []string{"spec"}
	}
	if required := scalarTexts(lookupPath(root, "required")); !slices.Equal(required, implied) {
		schema.set("required", textListNode(required))
	}
	out.set("schema", schema.nodeOrNil())
	if specNode != nil {
		out.set("spec", c.convertSchema(specNode, path+".spec"))
	}
	if status != nil {
		out.set("standardStatus", boolNode(false))
		out.set("status", c.convertSchema(status, path+".status"))
	}
}

// setSubresources sets scale, and subresources if they differ from the default, by which a version
// has the status subresource if its schema has a status.
func (c *converter) setSubresources(out mapping, n *yaml.Node, status bool, version string) {
	c.refuseUnknown(n, version+".subresources", resourceKeys)
	scale, has := lookupPath(n, "scale"), lookupPath(n, "status") != nil
	subresources := newMapping()
	switch {
	case n != nil && len(n.Content) == 0:
		out.set("subresources", subresources.flowNode())
	case has != status:
		subresources.set("status", boolNode(has))
		out.set("subresources", subresources.flowNode())
	}
	if scale == nil {
		return
	}
	c.refuseUnknown(scale, version+".subresources.scale", scaleKeys)
	paths := newMapping()
	paths.set("specReplicas", lookupPath(scale, "specReplicasPath"))
	paths.set("statusReplicas", lookupPath(scale, "statusReplicasPath"))
	paths.set("labelSelector", lookupPath(scale, "labelSelectorPath"))
	out.set("scale", paths.flowNode())
}

// convertColumns returns the columns of kubectl get, or nil.
func (c *converter) convertColumns(n *yaml.Node, version string) *yaml.Node {
	if n == nil {
		return nil
	}
	out := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range n.Content {
		c.refuseUnknown(item, version+".additionalPrinterColumns", columnKeys)
		column := newMapping()
		for _, e := range entriesOf(item) {
			name := e.key.Value
			if name == "jsonPath" {
				name = "path"
			}
			column.set(name, cleanValue(e.value))
		}
		out.Content = append(out.Content, column.flowNode())
	}
	return out
}
