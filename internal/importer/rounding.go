package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// roundLimits rounds the limits of a schema in place as the API server does, which stores them as
// floating point numbers: 9223372036854775807 becomes 9223372036854775808. The spec file then has
// the limit that is in effect.
func roundLimits(schema *yaml.Node) {
	for _, e := range entriesOf(schema) {
		switch name := e.key.Value; {
		case isFloatKeyword(name):
			roundLimit(e.value)
		case name == "properties":
			for _, property := range entriesOf(e.value) {
				roundLimits(property.value)
			}
		case slices.Contains([]string{"allOf", "anyOf", "oneOf"}, name):
			for _, tree := range itemsOf(e.value) {
				roundLimits(tree)
			}
		case slices.Contains([]string{"items", "additionalProperties", "not"}, name):
			roundLimits(e.value)
		}
	}
}

// isFloatKeyword reports whether Kubernetes stores the value of a keyword as a floating point
// number, such as that of maximum.
func isFloatKeyword(name string) bool {
	k := spec.KeywordByName(name)
	return k != nil && k.Form() == spec.NumberMarker
}

func roundLimit(n *yaml.Node) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		return
	}
	value := scalarValue(n)
	if nearest, same := spec.NearestFloat(value); !same && nearest != "" {
		n.Value, n.Tag = nearest, "" // yaml finds the tag again: an integer may have become a float
	}
}
