package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// holdLimits writes the limits of a schema as Kubernetes holds them, which rounds what it cannot
// hold, such as the largest int64: a spec file says what holds.
func holdLimits(schema *yaml.Node) {
	for _, e := range entriesOf(schema) {
		switch name := e.key.Value; {
		case isNumber(name):
			holdLimit(e.value)
		case name == "properties":
			for _, property := range entriesOf(e.value) {
				holdLimits(property.value)
			}
		case slices.Contains([]string{"allOf", "anyOf", "oneOf"}, name):
			for _, tree := range itemsOf(e.value) {
				holdLimits(tree)
			}
		case slices.Contains([]string{"items", "additionalProperties", "not"}, name):
			holdLimits(e.value)
		}
	}
}

// isNumber reports whether Kubernetes stores the value of a keyword as a floating point number.
func isNumber(name string) bool {
	k := spec.KeywordByName(name)
	return k != nil && k.Form() == spec.NumberMarker
}

func holdLimit(n *yaml.Node) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		return
	}
	value := scalarValue(n)
	if nearest, same := spec.NearestFloat(value); !same && nearest != "" {
		n.Value, n.Tag = nearest, "" // an integer may have become none
	}
}
