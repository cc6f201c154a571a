package crdgen

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// ruleAt returns the CEL rule at a path of a CRD, and "" if there is none.
func ruleAt(crd *apiextv1.CustomResourceDefinition, path string) string {
	elements, version := splitPath(path), 0
	elements.skip("spec")
	if elements.skip("versions") {
		version = elements.takeIndex()
	}
	isInSchema := elements.skip("schema") || elements.skip("validation")
	if !isInSchema || !elements.skip("openAPIV3Schema") || version >= len(crd.Spec.Versions) || crd.Spec.Versions[version].Schema == nil {
		return ""
	}
	schema := crd.Spec.Versions[version].Schema.OpenAPIV3Schema
	for schema != nil {
		switch {
		case elements.skip("properties"):
			property := schema.Properties[elements.takeKey()]
			schema = &property
		case elements.skip("items") && schema.Items != nil:
			schema = schema.Items.Schema
		case elements.skip("additionalProperties") && schema.AdditionalProperties != nil:
			schema = schema.AdditionalProperties.Schema
		case elements.skip("x-kubernetes-validations"):
			if i := elements.takeIndex(); i < len(schema.XValidations) {
				return schema.XValidations[i].Rule
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}
