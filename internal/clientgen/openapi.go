package clientgen

import (
	"encoding/json"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/kube-openapi/pkg/util"
)

// object is a JSON object.
type object = map[string]any

// metaPackage is the prefix of the definitions of meta/v1 in Kubernetes' OpenAPI.
const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1."

// openAPI describes the kinds to the generator of apply configurations as an OpenAPI v2 document.
// The Extract functions and the fake clientset merge objects by it, so it has only what affects
// merging: types, and how lists and maps are merged.
func openAPI(groups []group, crds []*apiextv1.CustomResourceDefinition) ([]byte, error) {
	definitions := object{
		metaPackage + "ObjectMeta": objectMeta(),
	}
	for _, g := range groups {
		for _, v := range g.versions {
			for _, k := range v.Kinds {
				definitions[util.ToRESTFriendlyName(v.path+"."+k.Name)] = kindSchema(rootSchema(crds, g.name, v.Version, k.API.Names.Kind))
			}
		}
	}
	return json.Marshal(object{
		"swagger": "2.0", "info": object{"title": "kinds", "version": "v1"}, "paths": object{}, "definitions": definitions,
	})
}

// rootSchema returns the schema of a kind.
func rootSchema(crds []*apiextv1.CustomResourceDefinition, group, version, kind string) *apiextv1.JSONSchemaProps {
	for _, crd := range crds {
		if crd.Spec.Group != group || crd.Spec.Names.Kind != kind {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Name == version && v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
				return v.Schema.OpenAPIV3Schema
			}
		}
	}
	return &apiextv1.JSONSchemaProps{}
}

// kindSchema returns the schema of a whole object, with its metadata.
func kindSchema(root *apiextv1.JSONSchemaProps) object {
	properties, ok := mergeSchema(root)["properties"].(object)
	if !ok {
		properties = object{}
	}
	properties["apiVersion"], properties["kind"] = scalarSchema("string"), scalarSchema("string")
	properties["metadata"] = object{"$ref": "#/definitions/" + metaPackage + "ObjectMeta"}
	out := objectSchema(properties)
	if root.XPreserveUnknownFields != nil && *root.XPreserveUnknownFields {
		out["x-kubernetes-preserve-unknown-fields"] = true
	}
	return out
}

// mergeSchema reduces a schema to what affects merging.
func mergeSchema(s *apiextv1.JSONSchemaProps) object {
	switch {
	case s.XIntOrString:
		return object{"type": "string", "format": "int-or-string"}
	case s.XEmbeddedResource:
		return object{}
	case s.Type == "object":
		return mergeObject(s)
	case s.Type == "array" && s.Items != nil && s.Items.Schema != nil:
		out := object{"type": "array", "items": mergeSchema(s.Items.Schema)}
		if s.XListType != nil {
			out["x-kubernetes-list-type"] = *s.XListType
		}
		if len(s.XListMapKeys) > 0 {
			out["x-kubernetes-list-map-keys"] = s.XListMapKeys
		}
		return out
	case s.Type == "string", s.Type == "integer", s.Type == "number", s.Type == "boolean":
		out := scalarSchema(s.Type)
		if s.Default != nil {
			out["default"] = s.Default
		}
		return out
	default:
		return object{} // any type: merging looks at the value
	}
}

// mergeObject reduces the schema of an object to what affects merging.
func mergeObject(s *apiextv1.JSONSchemaProps) object {
	open := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	var out object
	switch {
	case len(s.Properties) > 0 && fitsRawString(s):
		properties := object{}
		for name, property := range s.Properties {
			properties[name] = mergeSchema(&property)
		}
		out = objectSchema(properties)
		if open {
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out = object{"type": "object", "additionalProperties": mergeSchema(s.AdditionalProperties.Schema)}
	case s.XMapType == nil:
		return object{}
	default:
		out = object{"type": "object"}
	}
	if s.XMapType != nil {
		out["x-kubernetes-map-type"] = *s.XMapType
	}
	return out
}

// fitsRawString reports whether the names and defaults of the properties contain no backquote: the
// generator writes the schema as a raw string of Go.
func fitsRawString(s *apiextv1.JSONSchemaProps) bool {
	for name, property := range s.Properties {
		if strings.Contains(name, "`") || property.Default != nil && strings.Contains(string(property.Default.Raw), "`") {
			return false
		}
	}
	return true
}

// objectMeta returns the schema of metadata, with Kubernetes' rules for merging it.
func objectMeta() object {
	text, number := scalarSchema("string"), scalarSchema("integer")
	texts := object{"type": "object", "additionalProperties": text}
	return objectSchema(object{
		"annotations": texts, "labels": texts,
		"creationTimestamp": object{}, "deletionTimestamp": object{},
		"deletionGracePeriodSeconds": number, "generation": number,
		"generateName": text, "name": text, "namespace": text, "resourceVersion": text, "selfLink": text, "uid": text,
		"finalizers":    object{"type": "array", "items": text, "x-kubernetes-list-type": "set"},
		"managedFields": object{"type": "array", "items": object{}, "x-kubernetes-list-type": "atomic"},
		"ownerReferences": object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"uid"},
			"items": objectSchema(object{
				"apiVersion": text, "kind": text, "name": text, "uid": text,
				"controller": scalarSchema("boolean"), "blockOwnerDeletion": scalarSchema("boolean"),
			})},
	})
}

func scalarSchema(name string) object { return object{"type": name} }

func objectSchema(properties object) object {
	return object{"type": "object", "properties": properties}
}
