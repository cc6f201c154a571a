package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// isSenseless tells whether there is an enum in a CRD that is refused in a spec file unless the file says that it is
// meant: with a value twice, with one of another type than the schema, or with none.
func isSenseless(n *yaml.Node) bool {
	for _, e := range entries(n) {
		if e.key.Value == "enum" && e.value.Kind == yaml.SequenceNode && isSenselessEnum(e.value.Content, text(value(n, "type"))) {
			return true
		}
	}
	return slices.ContainsFunc(n.Content, isSenseless)
}

// enumTags are the tags of YAML that values of a type have.
var enumTags = map[string][]string{
	"string": {"!!str", "!!timestamp"}, "boolean": {"!!bool"}, "integer": {"!!int"}, "number": {"!!int", "!!float"},
}

func isSenselessEnum(values []*yaml.Node, ofType string) bool {
	for i, value := range values {
		tags, typed := enumTags[ofType]
		if typed && !slices.Contains(tags, value.ShortTag()) {
			return true
		}
		if slices.ContainsFunc(values[:i], func(other *yaml.Node) bool { return equal(value, other) }) {
			return true
		}
	}
	return len(values) == 0
}
