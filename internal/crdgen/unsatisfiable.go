package crdgen

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/spec"
)

// findUnsatisfiable returns errors for schemas that the API server accepts, although no value is
// valid, such as minimum: 3 with maximum: 2.
func findUnsatisfiable(crd *apiextv1.CustomResourceDefinition) field.ErrorList {
	var errs field.ErrorList
	for i, v := range crd.Spec.Versions {
		errs = append(errs, findUnsatisfiableBelow(v.Schema.OpenAPIV3Schema, field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema"))...)
	}
	return errs
}

// findUnsatisfiableBelow is findUnsatisfiable for a schema and all schemas below it.
func findUnsatisfiableBelow(s *apiextv1.JSONSchemaProps, path *field.Path) field.ErrorList {
	errs := spec.Unsatisfiable(s, path)
	for path, below := range spec.SchemasBelow(s, path) {
		errs = append(errs, findUnsatisfiableBelow(below, path)...)
	}
	return errs
}
