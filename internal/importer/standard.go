package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// standardRoot returns the fields of a root that a spec file has to list: neither spec nor status,
// and not what every root has. It is not standard when it lacks one of those.
func standardRoot(properties *yaml.Node) (rest mapping, standard bool) {
	known, standard := standardFields(), true
	for name := range known {
		standard = standard && lookupKey(properties, name) != nil
	}
	rest = newMapping()
	for _, e := range entriesOf(properties) {
		usual, found := known[e.key.Value]
		switch name := e.key.Value; {
		case name == "spec" || name == "status":
		case standard && found && sameValue(e.value, usual):
		default:
			rest.set(name, e.value)
		}
	}
	return rest, standard
}

// standardFields are the fields that every root has.
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
