package spec

import (
	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// decodeTrees decodes the schemas below allOf, anyOf or oneOf.
func (d *decoder) decodeTrees(n *yaml.Node, path string) []props {
	all := []props{}
	d.eachItem(n, path, func(n *yaml.Node, path string) { all = append(all, d.decodeTree(n, path)) })
	return all
}

// decodeTree decodes a schema below allOf, anyOf, oneOf or not. It only validates and declares no
// fields, so it has no shorthand and no implied type.
func (d *decoder) decodeTree(n *yaml.Node, path string) props {
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
				k.Properties[key.Value] = d.decodeTree(value, path)
			})
		case "items":
			k.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(d.decodeTree(value, path))}
		case "additionalProperties":
			k.AdditionalProperties = d.decodeTreeOrBool(value, path)
		default:
			d.decodeKeyword(&k, key, value, path)
		}
	})
	return k
}

func (d *decoder) decodeTreeOrBool(n *yaml.Node, path string) *apiextv1.JSONSchemaPropsOrBool {
	or := &apiextv1.JSONSchemaPropsOrBool{Allows: true}
	if n.Kind == yaml.ScalarNode {
		d.decodeBool(&or.Allows, n, path)
		return or
	}
	or.Schema = new(d.decodeTree(n, path))
	return or
}
