package crdgen

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// keepEmpty sets in the JSON of a schema what is empty and yet said, such as properties: {}: the
// types of the API leave it out.
func keepEmpty(s *apiextv1.JSONSchemaProps, object map[string]any) {
	for name, said := range map[string]bool{
		"properties":        s.Properties != nil && len(s.Properties) == 0,
		"patternProperties": s.PatternProperties != nil && len(s.PatternProperties) == 0,
	} {
		if said {
			object[name] = map[string]any{}
		}
	}
	for name, said := range map[string]bool{
		"required":                   s.Required != nil && len(s.Required) == 0,
		"enum":                       s.Enum != nil && len(s.Enum) == 0,
		"allOf":                      s.AllOf != nil && len(s.AllOf) == 0,
		"anyOf":                      s.AnyOf != nil && len(s.AnyOf) == 0,
		"oneOf":                      s.OneOf != nil && len(s.OneOf) == 0,
		"x-kubernetes-list-map-keys": s.XListMapKeys != nil && len(s.XListMapKeys) == 0,
		"x-kubernetes-validations":   s.XValidations != nil && len(s.XValidations) == 0,
	} {
		if said {
			object[name] = []any{}
		}
	}
	for name, property := range s.Properties {
		keepEmptyAt(&property, object, "properties", name)
	}
	if s.Items != nil {
		keepEmptyAt(s.Items.Schema, object, "items")
	}
	if s.AdditionalProperties != nil {
		keepEmptyAt(s.AdditionalProperties.Schema, object, "additionalProperties")
	}
	keepEmptyAt(s.Not, object, "not")
	for name, list := range map[string][]apiextv1.JSONSchemaProps{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		items, _ := object[name].([]any)
		for i := range items {
			if item, ok := items[i].(map[string]any); ok {
				keepEmpty(&list[i], item)
			}
		}
	}
}

func keepEmptyAt(s *apiextv1.JSONSchemaProps, object map[string]any, path ...string) {
	if s == nil {
		return
	}
	for _, name := range path {
		object, _ = object[name].(map[string]any)
	}
	if object != nil {
		keepEmpty(s, object)
	}
}

// keepEmptyNames does so for the names and the metadata of a CRD.
func keepEmptyNames(crd *apiextv1.CustomResourceDefinition, object map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	for name, said := range map[string]map[string]string{"annotations": crd.Annotations, "labels": crd.Labels} {
		if said != nil && len(said) == 0 && meta != nil {
			meta[name] = map[string]any{}
		}
	}
	body, _ := object["spec"].(map[string]any)
	names, _ := body["names"].(map[string]any)
	for name, said := range map[string][]string{"shortNames": crd.Spec.Names.ShortNames, "categories": crd.Spec.Names.Categories} {
		if said != nil && len(said) == 0 && names != nil {
			names[name] = []any{}
		}
	}
}

// keepEmptyVersions does so for every version of a CRD.
func keepEmptyVersions(crd *apiextv1.CustomResourceDefinition, object map[string]any) {
	body, _ := object["spec"].(map[string]any)
	versions, _ := body["versions"].([]any)
	for i, v := range versions {
		version, _ := v.(map[string]any)
		if version == nil {
			continue
		}
		said := crd.Spec.Versions[i]
		if said.AdditionalPrinterColumns != nil && len(said.AdditionalPrinterColumns) == 0 {
			version["additionalPrinterColumns"] = []any{}
		}
		if said.SelectableFields != nil && len(said.SelectableFields) == 0 {
			version["selectableFields"] = []any{}
		}
		if said.Schema != nil {
			keepEmptyAt(said.Schema.OpenAPIV3Schema, version, "schema", "openAPIV3Schema")
		}
	}
}
