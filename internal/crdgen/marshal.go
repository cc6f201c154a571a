package crdgen

import (
	"fmt"
	"reflect"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// MarshalCRD returns a CRD as YAML, without status and creationTimestamp. Empty lists and maps that
// are not nil stay, such as properties: {} and shortNames: []. Equal CRDs give equal bytes.
func MarshalCRD(crd *apiextv1.CustomResourceDefinition) ([]byte, error) {
	return MarshalCRDOf(nil, crd)
}

// MarshalCRDOf is MarshalCRD for the CRD of an API. Texts that the spec file sets to "" stay, too,
// such as format: "".
func MarshalCRDOf(api *spec.API, crd *apiextv1.CustomResourceDefinition) ([]byte, error) {
	text, err := json.Marshal(crd)
	if err != nil {
		return nil, fmt.Errorf("encode the CRD %s: %w", crd.Name, err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("encode the CRD %s: %w", crd.Name, err)
	}
	keepEmpty(reflect.ValueOf(crd), object)
	if api != nil {
		addEmptyKeywords(api, object)
	}
	delete(object, "status")
	if meta, ok := object["metadata"].(map[string]any); ok {
		delete(meta, "creationTimestamp")
	}
	return yamltext.Marshal(object)
}
