package spec

import (
	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	yamljson "sigs.k8s.io/yaml"
)

// metadata decodes the annotations and labels of the CRD.
func (d *decoder) metadata(api *API) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		d.mapping(n, path, keys{
			"annotations": d.textMap(&api.Annotations),
			"labels":      d.textMap(&api.Labels),
		})
	}
}

// textMap decodes a mapping of names to texts.
func (d *decoder) textMap(into *map[string]string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		*into = map[string]string{}
		d.entries(n, path, func(key, value *yaml.Node, path string) {
			var text string
			d.prose(&text)(value, path)
			(*into)[key.Value] = text
		})
	}
}

// conversion decodes how objects are converted between versions, in the form that CRDs have. What its webhook may
// be is for the API server's own validation.
func (d *decoder) conversion(into **apiextv1.CustomResourceConversion) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		raw, ok := d.value(n, path)
		if !ok {
			return
		}
		conversion := &apiextv1.CustomResourceConversion{}
		if yamljson.UnmarshalStrict(raw.Raw, conversion) != nil {
			d.fail(n, path, "is not the conversion of a CRD", "it has the keys strategy and webhook")
		}
		*into = conversion
	}
}
