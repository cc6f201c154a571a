package crdgen

import (
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// typeTypeMeta has the descriptions of apiVersion and kind.
const typeTypeMeta = "meta/v1.TypeMeta"

// schemaBuilder builds OpenAPI schemas from the nodes of versions and the types that they refer to.
// It builds a named type once; all uses share the schema.
type schemaBuilder struct {
	types typeSchemas
	named map[*spec.NamedType]apiextv1.JSONSchemaProps
	order []*spec.NamedType        // each after those that it uses
	rules apiextv1.ValidationRules // CEL rules of all schemas
}

func newSchemaBuilder(types typeSchemas) *schemaBuilder {
	return &schemaBuilder{types: types, named: map[*spec.NamedType]apiextv1.JSONSchemaProps{}}
}

// rootSchema returns the schema of the whole object.
func (b *schemaBuilder) rootSchema(v *spec.Version) *apiextv1.JSONSchemaProps {
	root := apiextv1.JSONSchemaProps{Type: "object"}
	if v.Root != nil {
		root = b.nodeSchema(v.Root)
	}
	if v.Description != "" {
		root.Description = v.Description
	}
	own := root.Properties // may be shared with a named type, so it is copied
	root.Properties = make(map[string]apiextv1.JSONSchemaProps, len(own)+5)
	maps.Copy(root.Properties, own)
	if v.StandardRoot {
		addStandardRoot(&root, v)
	}
	if v.Spec != nil {
		root.Properties["spec"] = b.nodeSchema(v.Spec)
	}
	if v.Status != nil {
		root.Properties["status"] = b.nodeSchema(v.Status)
	}
	if len(root.Properties) == 0 && (v.Root == nil || v.Root.Properties == nil) {
		root.Properties = nil
	}
	return &root
}

// addStandardRoot adds what controller-gen writes into every root schema, apiVersion, kind,
// metadata and required: [spec], if the spec file does not set them.
func addStandardRoot(root *apiextv1.JSONSchemaProps, v *spec.Version) {
	meta, _ := kubetypes.Referring(typeTypeMeta)
	for name, standard := range map[string]apiextv1.JSONSchemaProps{
		"apiVersion": meta.Schema.Properties["apiVersion"],
		"kind":       meta.Schema.Properties["kind"],
		"metadata":   {Type: "object"},
	} {
		if _, declared := root.Properties[name]; !declared {
			root.Properties[name] = standard
		}
	}
	switch {
	case root.Required == nil && specRequired(v):
		root.Required = []string{"spec"}
	case len(root.Required) == 0:
		root.Required = nil
	}
}

// specRequired reports whether an object must have a spec, because a field of the spec is required.
// Otherwise an object without a spec would be valid without that field.
func specRequired(v *spec.Version) bool {
	return v.Spec != nil && len(FullSchema(v.Spec).Required) > 0
}

// nodeSchema returns the schema of a node and of all nodes below it.
func (b *schemaBuilder) nodeSchema(s *spec.Schema) apiextv1.JSONSchemaProps {
	switch {
	case s.Type != "":
		out := withLegalMetadata(Overlay(b.types[s], s.Keywords))
		b.addRules(&out)
		return out
	case s.Use != nil:
		b.rules = append(b.rules, s.Keywords.XValidations...)
		return withLegalMetadata(Overlay(b.namedTypeSchema(s.Use), s.Keywords))
	}
	b.rules = append(b.rules, s.Keywords.XValidations...)
	out := s.Keywords
	out.Required = slices.Clone(out.Required)
	slices.Sort(out.Required)
	if s.Properties != nil {
		out.Properties = make(map[string]apiextv1.JSONSchemaProps, len(s.Properties))
	}
	for _, p := range s.Properties {
		out.Properties[p.Name] = b.nodeSchema(p.Schema)
	}
	if s.Items != nil {
		items := b.nodeSchema(s.Items)
		out.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: &items}
	}
	if s.AdditionalProperties != nil {
		values := b.nodeSchema(s.AdditionalProperties)
		out.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
	}
	if s.AdditionalPropertiesAllowed != nil {
		out.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: *s.AdditionalPropertiesAllowed}
	}
	return out
}

// namedTypeSchema returns the schema of a named type.
func (b *schemaBuilder) namedTypeSchema(t *spec.NamedType) apiextv1.JSONSchemaProps {
	schema, found := b.named[t]
	if !found {
		schema = b.nodeSchema(t.Schema)
		b.named[t] = schema
		b.order = append(b.order, t)
	}
	return schema
}

// withLegalMetadata returns the schema of a type. For an embedded resource, it removes what the API
// server does not allow for metadata.
func withLegalMetadata(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if !s.XEmbeddedResource {
		return s
	}
	return kubetypes.WithLegalMetadata(s)
}

// addRules adds the CEL rules of a schema and of all schemas below it.
func (b *schemaBuilder) addRules(s *apiextv1.JSONSchemaProps) {
	b.rules = append(b.rules, s.XValidations...)
	for _, below := range spec.SchemasBelow(s, nil) {
		b.addRules(below)
	}
}
