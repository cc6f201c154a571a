package importer

import (
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
