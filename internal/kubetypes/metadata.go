package kubetypes

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ObjectMeta is the name of the type of all metadata. Where an object holds another, as a
// PodTemplateSpec does, its schema has the fields that controller-gen's generateEmbeddedObjectMeta
// names: the API server drops from the metadata of such objects what the schema does not have.
const ObjectMeta = "meta/v1.ObjectMeta"

// bareMetadata is the schema of metadata whose fields are not named, all of which the API server
// drops.
func bareMetadata(description string, def *apiextv1.JSON) apiextv1.JSONSchemaProps {
	return apiextv1.JSONSchemaProps{Type: "object", Description: description, Default: def}
}

// WithBareMetadata returns a schema in which metadata is an object without any fields, as
// controller-gen makes it unless it is asked for more. The schema that is given stays as it is.
func WithBareMetadata(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if isMetadata(&s) {
		return bareMetadata(s.Description, s.Default)
	}
	if s.Properties != nil {
		s.Properties = maps.Clone(s.Properties)
	}
	for name, property := range s.Properties {
		s.Properties[name] = WithBareMetadata(property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		s.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(WithBareMetadata(*s.Items.Schema))}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		s.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: values.Allows, Schema: new(WithBareMetadata(*values.Schema))}
	}
	return s
}

// NamesMetadata reports whether a schema has metadata of which it names the fields.
func NamesMetadata(s *apiextv1.JSONSchemaProps) bool {
	if isMetadata(s) {
		return true
	}
	for _, property := range s.Properties {
		if NamesMetadata(&property) {
			return true
		}
	}
	return s.Items != nil && s.Items.Schema != nil && NamesMetadata(s.Items.Schema) ||
		s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && NamesMetadata(s.AdditionalProperties.Schema)
}

// WithLegalMetadata returns a schema in which embedded resources have metadata without any fields:
// the API server knows these, and accepts no schema of them. The schema that is given stays as it
// is.
func WithLegalMetadata(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if s.Properties != nil {
		s.Properties = maps.Clone(s.Properties)
	}
	for name, property := range s.Properties {
		s.Properties[name] = WithLegalMetadata(property)
	}
	if own, found := s.Properties["metadata"]; found && s.XEmbeddedResource {
		s.Properties["metadata"] = WithBareMetadata(own)
	}
	if s.Items != nil && s.Items.Schema != nil {
		s.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(WithLegalMetadata(*s.Items.Schema))}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		s.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: values.Allows, Schema: new(WithLegalMetadata(*values.Schema))}
	}
	return s
}

// metadataFields are the fields that the schema of metadata names, as JSON.
var metadataFields = sync.OnceValue(func() string {
	t, _ := Referring(ObjectMeta)
	return fieldsText(&t.Schema)
})

// isMetadata reports whether a schema is that of metadata, whatever a use of it says of itself.
func isMetadata(s *apiextv1.JSONSchemaProps) bool {
	if s.Type != "object" || len(s.Properties) != metadataFieldCount {
		return false
	}
	rest := *s
	rest.Type, rest.Properties, rest.Description, rest.Default = "", nil, "", nil
	return reflect.DeepEqual(rest, apiextv1.JSONSchemaProps{}) && fieldsText(s) == metadataFields()
}

// metadataFieldCount spares most schemas the comparison.
const metadataFieldCount = 5

func fieldsText(s *apiextv1.JSONSchemaProps) string {
	raw, err := json.Marshal(s.Properties)
	if err != nil {
		return "" // cannot happen: what is read from JSON or Go source is JSON
	}
	return string(raw)
}
