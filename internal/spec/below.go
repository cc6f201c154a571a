package spec

import (
	"iter"

	apifield "k8s.io/apimachinery/pkg/util/validation/field"
)

// SchemasBelow yields the schemas directly below a schema, of its fields, items and map values,
// with their paths in the CRD.
func SchemasBelow(s *props, path *apifield.Path) iter.Seq2[*apifield.Path, *props] {
	return func(yield func(*apifield.Path, *props) bool) {
		for name, p := range s.Properties {
			if !yield(path.Child("properties").Key(name), &p) {
				return
			}
		}
		if s.Items != nil && s.Items.Schema != nil && !yield(path.Child("items"), s.Items.Schema) {
			return
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			yield(path.Child("additionalProperties"), s.AdditionalProperties.Schema)
		}
	}
}
