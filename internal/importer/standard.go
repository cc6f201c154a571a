package importer

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// standardRoot returns the fields of a root schema that the spec file has to list: all but spec,
// status and the standard fields. It returns false, and the standard fields too, if one of those is
// missing.
func standardRoot(properties *yaml.Node) (rest mapping, standard bool) {
	fields, standard := standardFields(), true
	for name := range fields {
		standard = standard && lookupKey(properties, name) != nil
	}
	rest = newMapping()
	for _, e := range entriesOf(properties) {
		usual, found := fields[e.key.Value]
		switch name := e.key.Value; {
		case name == "spec" || name == "status":
		case standard && found && sameValue(e.value, usual):
		default:
			rest.set(name, e.value)
		}
	}
	return rest, standard
}

// takeNameLimit returns the limit of the names of objects, and leaves the standard metadata in its place; nil if not all
// versions have the same, or if one says more of metadata.
func takeNameLimit(versions []*yaml.Node) (limit *yaml.Node) {
	var all []*yaml.Node
	for _, v := range versions {
		properties := lookupPath(v, "schema", "openAPIV3Schema", "properties")
		found := lookupPath(properties, "metadata", "properties", "name", "maxLength")
		if _, isStandard := standardRoot(properties); !isStandard || found == nil || limit != nil && found.Value != limit.Value || !sameValue(lookupKey(properties, "metadata"), limitedMetadata(found)) || !isNameLimit(found.Value) {
			return nil
		}
		limit = found
		all = append(all, lookupPath(properties, "metadata"))
	}
	for _, metadata := range all {
		*metadata = *standardFields()["metadata"]
	}
	return limit
}

// isNameLimit reports whether a text is a length that maxNameLength accepts.
func isNameLimit(text string) bool {
	limit, err := strconv.Atoi(text)
	return err == nil && limit >= 1 && limit <= 253
}

// limitedMetadata returns metadata of which only the length of the name is limited.
func limitedMetadata(limit *yaml.Node) *yaml.Node {
	name, properties, metadata := newMapping(), newMapping(), newMapping()
	name.set("maxLength", limit)
	name.set("type", textNode("string"))
	properties.set("name", name.Node)
	metadata.set("properties", properties.Node)
	metadata.set("type", textNode("object"))
	return metadata.Node
}

// standardFields returns apiVersion, kind and metadata as controller-gen writes them into every
// root schema.
func standardFields() map[string]*yaml.Node {
	meta, _ := kubetypes.TypeByName("meta/v1.TypeMeta")
	fields := map[string]*yaml.Node{}
	for _, name := range []string{"apiVersion", "kind"} {
		m := newMapping()
		m.set("description", textNode(meta.Schema.Properties[name].Description))
		m.set("type", textNode("string"))
		fields[name] = m.Node
	}
	m := newMapping()
	m.set("type", textNode("object"))
	fields["metadata"] = m.Node
	return fields
}
