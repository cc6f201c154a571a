package importer

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// The keys of a CRD that a spec file has a place for, or needs none for.
var (
	crdKeys      = []string{"apiVersion", "kind", "metadata", "spec", "status"}
	specKeys     = []string{"group", "names", "scope", "versions", "conversion", "preserveUnknownFields"}
	nameKeys     = []string{"kind", "listKind", "plural", "singular", "shortNames", "categories"}
	versionKeys  = []string{"name", "served", "storage", "deprecated", "deprecationWarning", "schema", "subresources", "additionalPrinterColumns", "selectableFields"}
	columnKeys   = []string{"name", "type", "jsonPath", "format", "description", "priority"}
	resourceKeys = []string{"status", "scale"}
	scaleKeys    = []string{"specReplicasPath", "statusReplicasPath", "labelSelectorPath"}
)

// known reports the keys of a mapping that nothing is known of: they would be lost.
func (c *converter) known(n *yaml.Node, path string, names []string) {
	for _, e := range entries(n) {
		if !slices.Contains(names, e.key.Value) {
			c.fail(e.key, strings.TrimPrefix(path+"."+e.key.Value, "."), "unknown key", "CRDs of apiextensions.k8s.io/v1 have none of that name")
		}
	}
}

// crd returns the spec file of a CRD.
func (c *converter) crd(crd *yaml.Node) *yaml.Node {
	body, out := get(crd, "spec"), newMapping()
	for _, v := range elements(get(body, "versions")) {
		holdLimits(get(v, "schema", "openAPIV3Schema"))
	}
	c.bareMetadata = c.hasBareMetadata(crd)
	c.repeated(crd)
	c.known(crd, "", crdKeys)
	c.known(body, "spec", specKeys)
	if isTrue(get(body, "preserveUnknownFields")) {
		c.fail(body, "spec.preserveUnknownFields", "must be false", "Kubernetes has not accepted such CRDs since 1.22")
	}
	out.set("apiVersion", str(spec.FormatVersion))
	out.set("kind", str("API"))
	out.set("metadata", metadata(get(crd, "metadata")))
	out.set("group", get(body, "group"))
	out.set("names", c.names(get(body, "names")))
	if scope := get(body, "scope"); text(scope) != string(spec.Namespaced) {
		out.set("scope", scope)
	}
	out.set("conversion", clean(get(body, "conversion")))
	if c.bareMetadata {
		out.set("embeddedMetadata", boolean(false))
	}
	versions := &yaml.Node{Kind: yaml.SequenceNode}
	all := elements(get(body, "versions"))
	for _, v := range all {
		versions.Content = append(versions.Content, c.version(v, len(all) == 1))
	}
	out.set("versions", versions)
	out.set("types", c.types())
	return out.Node
}

// metadata returns the annotations and labels of a CRD.
func metadata(meta *yaml.Node) *yaml.Node {
	out := newMapping()
	for _, name := range []string{"annotations", "labels"} {
		if n := get(meta, name); n != nil {
			out.set(name, clean(n))
		}
	}
	return out.node()
}

// names returns the names that do not follow from the kind.
func (c *converter) names(names *yaml.Node) *yaml.Node {
	c.known(names, "spec.names", nameKeys)
	out, kind := newMapping(), text(get(names, "kind"))
	out.set("kind", str(kind))
	listKind := text(get(names, "listKind"))
	if !spec.IsKind(kind) || listKind != "" && !spec.IsKind(listKind) {
		out.set("goKind", str(spec.GoName(kind)))
	}
	for _, name := range []struct{ key, derived string }{
		{"listKind", kind + "List"}, {"plural", spec.Plural(kind)}, {"singular", strings.ToLower(kind)},
	} {
		if said := text(get(names, name.key)); said != name.derived {
			out.set(name.key, str(said)) // also when it is left out: as the empty text
		}
	}
	for _, name := range []string{"shortNames", "categories"} {
		if n := get(names, name); n != nil {
			out.set(name, list(texts(n)))
		}
	}
	return out.flow()
}
