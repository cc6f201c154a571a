package spec

import (
	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// decodeTrees decodes the schemas below allOf, anyOf or oneOf.
func decodeTrees(d *decoder, n *yaml.Node, path string) []props {
	all := []props{}
	d.eachItem(n, path, func(n *yaml.Node, path string) { all = append(all, decodeTree(d, n, path)) })
	return all
}

// decodeTree decodes a schema below a logical operator. It only validates and declares nothing, so
// that it has no shorthand, and nothing is implied.
func decodeTree(d *decoder, n *yaml.Node, path string) props {
	var k props
	if n.Kind == yaml.ScalarNode {
		d.fail(n, path, "expected a mapping, got "+describeNode(n), "the shorthand is not for schemas below allOf, anyOf, oneOf and not")
		return k
	}
	d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		if k := KeywordByName(key.Value); yamltext.IsNull(value) && (k == nil || k.Form() != ValueMarker) {
			d.fail(value, path, "has no value", "write one, or leave the key out")
			return
		}
		switch key.Value {
		case "properties":
			k.Properties = map[string]props{}
			d.eachEntry(value, path, func(key, value *yaml.Node, path string) {
				k.Properties[key.Value] = decodeTree(d, value, path)
			})
		case "items":
			k.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(decodeTree(d, value, path))}
		case "additionalProperties":
			k.AdditionalProperties = decodeTreeOrBool(d, value, path)
		default:
			decodeKeyword(d, &k, key, value, path)
		}
	})
	return k
}

func decodeTreeOrBool(d *decoder, n *yaml.Node, path string) *apiextv1.JSONSchemaPropsOrBool {
	or := &apiextv1.JSONSchemaPropsOrBool{Allows: true}
	if n.Kind == yaml.ScalarNode {
		decodeBool(d, &or.Allows, n, path)
		return or
	}
	or.Schema = new(decodeTree(d, n, path))
	return or
}
