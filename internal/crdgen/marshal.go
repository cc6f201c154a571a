package crdgen

import (
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// MarshalCRD returns a CRD as YAML, without status and creationTimestamp. What a schema says
// to be empty, such as properties: {}, stays. Equal CRDs give equal bytes.
func MarshalCRD(crd *apiextv1.CustomResourceDefinition) ([]byte, error) {
	written := struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta                     `json:"metadata"`
		Spec            apiextv1.CustomResourceDefinitionSpec `json:"spec"`
	}{crd.TypeMeta, crd.ObjectMeta, crd.Spec}
	written.Metadata.CreationTimestamp = metav1.Time{}
	text, err := yamltext.Marshal(&written)
	if err != nil {
		return nil, fmt.Errorf("encode the CRD %s: %w", crd.Name, err)
	}
	return text, nil
}
