package main

import (
	"encoding/json"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// objectSchemas are the schemas of objects with fields in one version of a CRD, told apart by all
// they say but what a use of a type can say for itself: those that need a Go struct each. Objects
// that are a Kubernetes type by name have one already, and those without fields have nothing to
// share.
type objectSchemas map[string]bool

func (o objectSchemas) collectSchemas(said *spec.Schema, s *apiextv1.JSONSchemaProps, prefix string) {
	said = said.Declared()
	if said.Type != "" || s.XIntOrString {
		return
	}
	if len(s.Properties) > 0 {
		o[prefix+schemaFingerprint(s)] = true
	}
	for _, p := range said.Properties {
		made := s.Properties[p.Name]
		o.collectSchemas(p.Schema, &made, "")
	}
	if said.Items != nil {
		o.collectSchemas(said.Items, s.Items.Schema, "")
	}
	if said.AdditionalProperties != nil && len(s.Properties) == 0 {
		o.collectSchemas(said.AdditionalProperties, s.AdditionalProperties.Schema, "")
	}
}

// distinctObjects counts the object schemas of a version's spec, status and other fields of the
// root. Spec and status have types of their own, whatever else is like them.
func distinctObjects(v *spec.Version, made apiextv1.CustomResourceDefinitionVersion) int {
	objects, root := objectSchemas{}, made.Schema.OpenAPIV3Schema
	for prefix, said := range map[string]*spec.Schema{"spec": v.Spec, "status": v.Status} {
		if s, found := root.Properties[prefix]; found && said != nil {
			objects.collectSchemas(said, &s, prefix)
		}
	}
	if v.Root == nil {
		return len(objects)
	}
	for _, p := range v.Root.Properties {
		if s, found := root.Properties[p.Name]; found && !slices.Contains(usualFields, p.Name) {
			objects.collectSchemas(p.Schema, &s, "")
		}
	}
	return len(objects)
}

// schemaFingerprint tells schemas apart, but for what the object itself says as a field.
func schemaFingerprint(s *apiextv1.JSONSchemaProps) string {
	bare := *s
	bare.Description, bare.Title, bare.Example, bare.ExternalDocs = "", "", nil, nil
	bare.Default, bare.Nullable = nil, false
	text, err := json.Marshal(bare)
	if err != nil {
		return err.Error() // cannot happen: the schema was read from JSON
	}
	return string(text)
}
