package crdgen

import (
	"encoding/json"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// maxRequest is how many bytes an API server reads of a request. It is not configurable.
const maxRequest = 3 << 20

// tooLarge reports a CRD that no API server accepts, because of its size in JSON.
func tooLarge(api *spec.API, crd *apiextv1.CustomResourceDefinition, schemas *schemaBuilder) *spec.Problem {
	if problem := expandsTooFar(api, crd, schemas); problem != nil {
		return problem
	}
	if 6*crd.Size() <= maxRequest { // JSON has at most six bytes for one of the binary form
		return nil
	}
	text, err := json.Marshal(crd)
	if err != nil || len(text) <= maxRequest {
		return nil // MarshalCRD reports it
	}
	return &spec.Problem{
		Pos: api.Place("names.kind"), Path: "names.kind",
		Message: fmt.Sprintf("gives a CRD of %d KiB, and API servers take requests of at most %d KiB", len(text)>>10, maxRequest>>10),
		Hint:    "shorten descriptions, leave versions out, or leave parts open with x-kubernetes-preserve-unknown-fields",
	}
}

// expandsTooFar reports an API whose types, each written out wherever it is used, make the CRD too
// large. Nothing may walk the schemas of such a CRD to their ends: types that use one another twice
// at each level have 2ⁿ fields after n levels.
func expandsTooFar(api *spec.API, crd *apiextv1.CustomResourceDefinition, schemas *schemaBuilder) *spec.Problem {
	left := maxRequest
	for _, v := range crd.Spec.Versions {
		left = bytesLeft(left, v.Schema.OpenAPIV3Schema)
	}
	if left >= 0 {
		return nil
	}
	problem := &spec.Problem{
		Pos: api.Place("names.kind"), Path: "names.kind",
		Message: fmt.Sprintf("gives a CRD of more than %d KiB once the types are written out where they are used, and API servers take requests of at most that", maxRequest>>10),
		Hint:    "use types in fewer places, or leave parts open with x-kubernetes-preserve-unknown-fields",
	}
	for _, t := range schemas.order {
		if schema := schemas.named[t]; bytesLeft(maxRequest, &schema) < 0 {
			problem.Pos, problem.Path = t.Pos, "types."+t.Name
			break
		}
	}
	return problem
}

// bytesLeft returns how many of so many bytes a schema leaves over when it is written as JSON with
// nothing but types and names of fields. It ends below zero, as soon as there are too few.
func bytesLeft(left int, s *apiextv1.JSONSchemaProps) int {
	left -= len(`{}`)
	if s.Type != "" {
		left -= len(`"type":""`) + len(s.Type)
	}
	if len(s.Properties) > 0 {
		left -= len(`"properties":{},`)
	}
	for name, property := range s.Properties {
		if left < 0 {
			return left
		}
		left = bytesLeft(left-len(`"":,`)-len(name), &property)
	}
	if s.Items != nil && s.Items.Schema != nil && left >= 0 {
		left = bytesLeft(left, s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && left >= 0 {
		left = bytesLeft(left, s.AdditionalProperties.Schema)
	}
	return left
}
