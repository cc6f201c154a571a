package kubetypes

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ObjectMeta is the name of the type of all metadata. In this bundle it has the fields that
// controller-gen names with generateEmbeddedObjectMeta. They matter where an object embeds another,
// as a Deployment does with a PodTemplateSpec: the API server drops all metadata of an embedded
// object that the schema does not name.
const ObjectMeta = "meta/v1.ObjectMeta"

// Metadata says which metadata fields of embedded objects a schema names.
type Metadata string

// The choices of metadata fields.
const (
	LabelMetadata Metadata = ""     // name, labels and annotations: what an author of a template needs
	AllMetadata   Metadata = "All"  // namespace and finalizers too, as in the types here
	NoMetadata    Metadata = "None" // none, as controller-gen makes it unless it is asked for more
)

// limitSchema returns the schema of metadata with the chosen fields. The description of s stays.
func (m Metadata) limitSchema(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	switch m {
	case NoMetadata:
		return apiextv1.JSONSchemaProps{Type: "object", Description: s.Description, Default: s.Default}
	case LabelMetadata:
		s.Properties = maps.Clone(s.Properties)
		delete(s.Properties, "namespace")
		delete(s.Properties, "finalizers")
	}
	return s
}

// WithMetadata returns a copy of a schema in which embedded metadata has the chosen fields.
func WithMetadata(s apiextv1.JSONSchemaProps, fields Metadata) apiextv1.JSONSchemaProps {
	if fields == AllMetadata {
		return s
	}
	if isMetadata(&s) {
		return fields.limitSchema(s)
	}
	if s.Properties != nil {
		s.Properties = maps.Clone(s.Properties)
	}
	for name, property := range s.Properties {
		s.Properties[name] = WithMetadata(property, fields)
	}
	if s.Items != nil && s.Items.Schema != nil {
		s.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(WithMetadata(*s.Items.Schema, fields))}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		s.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: values.Allows, Schema: new(WithMetadata(*values.Schema, fields))}
	}
	return s
}

// NamesMetadata reports whether a schema names fields of embedded metadata.
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

// WithLegalMetadata returns a copy of a schema in which embedded resources have metadata without
// fields. The API server knows the metadata of embedded resources, and refuses a CRD that describes
// it.
func WithLegalMetadata(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if s.Properties != nil {
		s.Properties = maps.Clone(s.Properties)
	}
	for name, property := range s.Properties {
		s.Properties[name] = WithLegalMetadata(property)
	}
	if own, found := s.Properties["metadata"]; found && s.XEmbeddedResource {
		s.Properties["metadata"] = WithMetadata(own, NoMetadata)
	}
	if s.Items != nil && s.Items.Schema != nil {
		s.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: new(WithLegalMetadata(*s.Items.Schema))}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		s.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: values.Allows, Schema: new(WithLegalMetadata(*values.Schema))}
	}
	return s
}

// metadataFields are the fields of each choice of metadata as JSON, by the number of fields.
var metadataFields = sync.OnceValue(func() map[int]string {
	t, _ := Referring(ObjectMeta)
	labels := LabelMetadata.limitSchema(t.Schema)
	return map[int]string{len(t.Schema.Properties): fieldsText(&t.Schema), len(labels.Properties): fieldsText(&labels)}
})

// isMetadata reports whether a schema is that of metadata, whatever its description is.
func isMetadata(s *apiextv1.JSONSchemaProps) bool {
	if _, named := s.Properties["annotations"]; !named || s.Type != "object" { // avoids the comparison for nearly all schemas
		return false
	}
	rest := *s
	rest.Type, rest.Properties, rest.Description, rest.Default = "", nil, "", nil
	return reflect.DeepEqual(rest, apiextv1.JSONSchemaProps{}) && fieldsText(s) == metadataFields()[len(s.Properties)]
}

func fieldsText(s *apiextv1.JSONSchemaProps) string {
	raw, err := json.Marshal(s.Properties)
	if err != nil {
		return "" // cannot happen: what is read from JSON or Go source is JSON
	}
	return string(raw)
}
