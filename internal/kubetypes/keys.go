package kubetypes

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// RequireKeys makes the keys of list maps required in a schema and everything below it. It changes
// the schema. Some types of Kubernetes leave such keys optional without a default, for example the
// protocol of a port, and the API server refuses a CRD with such a list.
func RequireKeys(s *apiextv1.JSONSchemaProps) {
	for name, property := range s.Properties {
		RequireKeys(&property)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		RequireKeys(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		RequireKeys(s.AdditionalProperties.Schema)
	}
	requireKeysOf(s)
}

// requireKeysOf makes the keys of one list map required. It copies the schema of the items before
// it changes it, because types share schemas.
func requireKeysOf(s *apiextv1.JSONSchemaProps) {
	if s.XListType == nil || *s.XListType != "map" || s.Items == nil || s.Items.Schema == nil {
		return
	}
	items := s.Items.Schema
	for _, key := range s.XListMapKeys {
		property, found := items.Properties[key]
		if found && property.Default == nil && !slices.Contains(items.Required, key) {
			items.Required = append(slices.Clone(items.Required), key)
			slices.Sort(items.Required)
		}
	}
}
