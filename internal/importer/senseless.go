package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// isSenseless tells whether there is an enum in a CRD that is refused in a spec file unless the file says that it is
// meant: with a value twice, with one of another type than the schema, or with none.
func isSenseless(n *yaml.Node) bool {
	if n == nil {
		return false
	}
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

// acceptSenseless has a spec file say that it means what makes no sense.
func acceptSenseless(out mapping) {
	if value(out.Node, "acceptWarnings") == nil {
		out.Content = slices.Insert(out.Content, 4, str("acceptWarnings"), list([]string{string(spec.WarnSenseless)})) // behind apiVersion and kind
	}
}
