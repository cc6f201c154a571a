package spec

import "go.yaml.in/yaml/v3"

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
