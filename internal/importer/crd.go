package importer

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// The keys of a CRD that a spec file can express, or that it does not need, such as status. A CRD
// with another key is refused, as the key would be lost.
var (
	crdKeys      = []string{"apiVersion", "kind", "metadata", "spec", "status"}
	specKeys     = []string{"group", "names", "scope", "versions", "conversion", "preserveUnknownFields"}
	nameKeys     = []string{"kind", "listKind", "plural", "singular", "shortNames", "categories"}
	versionKeys  = []string{"name", "served", "storage", "deprecated", "deprecationWarning", "schema", "subresources", "additionalPrinterColumns", "selectableFields"}
	columnKeys   = []string{"name", "type", "jsonPath", "format", "description", "priority"}
	resourceKeys = []string{"status", "scale"}
	scaleKeys    = []string{"specReplicasPath", "statusReplicasPath", "labelSelectorPath"}
)

// refuseUnknown adds a problem for each key of a mapping that is not among names.
func (c *reporter) refuseUnknown(n *yaml.Node, path string, names []string) {
	for _, e := range entriesOf(n) {
		if !slices.Contains(names, e.key.Value) {
			c.addProblem(e.key, strings.TrimPrefix(path+"."+e.key.Value, "."), "unknown key", "CRDs of apiextensions.k8s.io/v1 have none of that name")
		}
	}
}

// convertCRD returns the root mapping of the spec file for a CRD. What the defaults of the spec
// language imply is left out, such as scope: Namespaced and the plural echoservers of EchoServer.
func (c *converter) convertCRD(crd *yaml.Node) *yaml.Node {
	body, out := lookupPath(crd, "spec"), newMapping()
	for _, v := range itemsOf(lookupPath(body, "versions")) {
		roundLimits(lookupPath(v, "schema", "openAPIV3Schema"))
	}
	c.metadata = c.embeddedMetadata(crd)
	c.findRepeatedObjects(crd)
	c.refuseUnknown(crd, "", crdKeys)
	c.refuseUnknown(body, "spec", specKeys)
	if isTrue(lookupPath(body, "preserveUnknownFields")) {
		c.addProblem(body, "spec.preserveUnknownFields", "must be false", "Kubernetes has not accepted such CRDs since 1.22")
	}
	out.set("apiVersion", textNode(spec.FormatVersion))
	out.set("kind", textNode("API"))
	conversion := c.convertConversion(crd)
	out.set("metadata", c.convertMetadata(lookupPath(crd, "metadata")))
	out.set("group", lookupPath(body, "group"))
	out.set("names", c.convertNames(lookupPath(body, "names")))
	if scope := lookupPath(body, "scope"); scalarText(scope) != string(spec.Namespaced) {
		out.set("scope", scope)
	}
	out.set("maxNameLength", takeNameLimit(itemsOf(lookupPath(body, "versions"))))
	out.set("conversion", conversion)
	switch c.metadata {
	case kubetypes.NoMetadata:
		out.set("embeddedMetadata", boolNode(false))
	case kubetypes.AllMetadata:
		out.set("embeddedMetadata", textNode(string(spec.AllMetadata)))
	}
	versions := &yaml.Node{Kind: yaml.SequenceNode}
	all := itemsOf(lookupPath(body, "versions"))
	for _, v := range all {
		versions.Content = append(versions.Content, c.convertVersion(v, len(all) == 1))
	}
	out.set("versions", versions)
	out.set("types", c.convertTypes())
	return out.Node
}

// convertNames returns the kind, and the names that differ from what spec files derive from it. For
// kind Echo with the plural echoes it returns {kind: Echo} alone.
func (c *converter) convertNames(names *yaml.Node) *yaml.Node {
	c.refuseUnknown(names, "spec.names", nameKeys)
	out, kind := newMapping(), scalarText(lookupPath(names, "kind"))
	out.set("kind", textNode(kind))
	listKind := scalarText(lookupPath(names, "listKind"))
	if !spec.IsKind(kind) || listKind != "" && !spec.IsKind(listKind) {
		out.set("goKind", textNode(spec.GoName(kind)))
	}
	for _, name := range []struct{ key, derived string }{
		{"listKind", kind + "List"}, {"plural", spec.Plural(kind)}, {"singular", strings.ToLower(kind)},
	} {
		if actual := scalarText(lookupPath(names, name.key)); actual != name.derived {
			out.set(name.key, textNode(actual)) // "" if the CRD leaves the name out
		}
	}
	for _, name := range []string{"shortNames", "categories"} {
		if n := lookupPath(names, name); n != nil {
			out.set(name, textListNode(scalarTexts(n)))
		}
	}
	return out.flowNode()
}
