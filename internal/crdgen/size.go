package crdgen

import (
	"encoding/json"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// maxRequest is how many bytes an API server reads of a request. It is not configurable.
const maxRequest = 3 << 20

// tooLarge says of a CRD that no API server takes it. JSON has at most six bytes for one, so that
// most CRDs need not be written to know.
func tooLarge(api *spec.API, crd *apiextv1.CustomResourceDefinition) *spec.Problem {
	if 6*crd.Size() <= maxRequest {
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
