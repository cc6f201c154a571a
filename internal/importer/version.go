package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// version returns one version of a spec file.
func (c *converter) version(v *yaml.Node, alone bool) *yaml.Node {
	out, name := newMapping(), text(get(v, "name"))
	c.known(v, "spec.versions."+name, versionKeys)
	out.set("name", str(name))
	if !isTrue(get(v, "served")) {
		out.set("served", boolean(false))
	}
	if isTrue(get(v, "storage")) && !alone {
		out.set("storage", boolean(true))
	}
	if isTrue(get(v, "deprecated")) {
		out.set("deprecated", boolean(true))
	}
	out.set("deprecationWarning", get(v, "deprecationWarning"))
	root := get(v, "schema", "openAPIV3Schema")
	c.root(out, root, name)
	status := get(root, "properties", "status") != nil
	c.subresources(out, get(v, "subresources"), status, name)
	out.set("columns", c.columns(get(v, "additionalPrinterColumns"), name))
	if fields := get(v, "selectableFields"); fields != nil {
		var paths []string
		for _, f := range fields.Content {
			paths = append(paths, text(get(f, "jsonPath")))
		}
		out.set("selectableFields", list(paths))
	}
	return out.Node
}

// root sets what a version says of the whole object, and its spec and status.
func (c *converter) root(out mapping, root *yaml.Node, version string) {
	path := version + ".schema"
	out.set("description", get(root, "description"))
	properties := get(root, "properties")
	specNode, status := get(properties, "spec"), get(properties, "status")
	rest, standard := standardRoot(properties)
	if !standard {
		out.set("standardRoot", boolean(false))
	}
	schema := newMapping()
	if root != nil && get(root, "type") == nil {
		schema.set("type", str(""))
	}
	for _, e := range entries(root) {
		switch e.key.Value {
		case "description":
		case "type":
			if e.value.Value != "object" {
				schema.set("type", e.value)
			}
		case "properties":
			if !rest.empty() {
				schema.set("properties", c.properties(rest.Node, nil, path))
			}
		case "required":
		default:
			c.keyword(schema, e, path)
		}
	}
	var implied []string
	if standard && len(elements(get(specNode, "required"))) > 0 {
		implied = []string{"spec"}
	}
	if required := texts(get(root, "required")); !slices.Equal(required, implied) {
		schema.set("required", list(required))
	}
	out.set("schema", schema.node())
	if specNode != nil {
		out.set("spec", c.schema(specNode, path+".spec"))
	}
	if status != nil {
		out.set("standardStatus", boolean(false))
		out.set("status", c.schema(status, path+".status"))
	}
}

// subresources sets which subresources there are, where that does not follow from the schema.
func (c *converter) subresources(out mapping, n *yaml.Node, status bool, version string) {
	c.known(n, version+".subresources", resourceKeys)
	scale, has := get(n, "scale"), get(n, "status") != nil
	said := newMapping()
	switch {
	case n != nil && len(n.Content) == 0:
		out.set("subresources", said.flow())
	case has != status:
		said.set("status", boolean(has))
		out.set("subresources", said.flow())
	}
	if scale == nil {
		return
	}
	c.known(scale, version+".subresources.scale", scaleKeys)
	paths := newMapping()
	paths.set("specReplicas", get(scale, "specReplicasPath"))
	paths.set("statusReplicas", get(scale, "statusReplicasPath"))
	paths.set("labelSelector", get(scale, "labelSelectorPath"))
	out.set("scale", paths.flow())
}

// columns returns the columns of kubectl get.
func (c *converter) columns(n *yaml.Node, version string) *yaml.Node {
	if n == nil {
		return nil
	}
	out := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range n.Content {
		c.known(item, version+".additionalPrinterColumns", columnKeys)
		column := newMapping()
		for _, e := range entries(item) {
			name := e.key.Value
			if name == "jsonPath" {
				name = "path"
			}
			column.set(name, clean(e.value))
		}
		out.Content = append(out.Content, column.flow())
	}
	return out
}
