package crdgen

import (
	"encoding/json"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// maxRequest is the size of the largest request that an API server accepts. It is not configurable.
const maxRequest = 3 << 20

// tooLarge returns a problem if the JSON of a CRD is too large for every API server.
func tooLarge(api *spec.API, crd *apiextv1.CustomResourceDefinition, schemas *schemaBuilder) *spec.Problem {
	if problem := expandsTooFar(api, crd, schemas); problem != nil {
		return problem
	}
	if 6*crd.Size() <= maxRequest { // JSON has at most six bytes for one byte of protobuf
		return nil
	}
	text, err := json.Marshal(crd)
	if err != nil || len(text) <= maxRequest {
		return nil // MarshalCRD reports it
	}
	return &spec.Problem{
		Pos: api.PositionOf("names.kind"), Path: "names.kind",
		Message: fmt.Sprintf("the CRD has %d KiB, and API servers accept requests of at most %d KiB", len(text)>>10, maxRequest>>10),
		Hint:    "shorten descriptions, leave versions out, or leave parts open with x-kubernetes-preserve-unknown-fields",
	}
}

// expandsTooFar returns a problem if the CRD is too large because types are expanded at each use.
// Nothing may walk the schemas of such a CRD to the end: if each type uses the next one twice, n
// types expand to 2ⁿ fields.
func expandsTooFar(api *spec.API, crd *apiextv1.CustomResourceDefinition, schemas *schemaBuilder) *spec.Problem {
	left := maxRequest
	for _, v := range crd.Spec.Versions {
		left = bytesLeft(left, v.Schema.OpenAPIV3Schema)
	}
	if left >= 0 {
		return nil
	}
	problem := &spec.Problem{
		Pos: api.PositionOf("names.kind"), Path: "names.kind",
		Message: fmt.Sprintf("the CRD has more than %d KiB, the most that API servers accept, once types are expanded where they are used", maxRequest>>10),
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

// bytesLeft returns left minus the size of a schema as JSON, counting only types and names of
// fields. It stops as soon as the result is negative.
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
