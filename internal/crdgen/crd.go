package crdgen

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// CRD returns the CustomResourceDefinition of an API, checked with the API server's own code as Kubernetes
// minKubernetes (such as 1.33) would check it. Problems are at the positions of the spec file; the CRD is nil
// when there are any.
func CRD(api *spec.API, minKubernetes string) (*apiextv1.CustomResourceDefinition, spec.Problems) {
	return nil, nil
}

// MarshalCRD returns a CRD as YAML, without status and creationTimestamp. Equal CRDs give equal bytes.
func MarshalCRD(crd *apiextv1.CustomResourceDefinition) ([]byte, error) {
	return nil, nil
}

// Sample returns a valid object of a version of an API as YAML, made from its schema: required fields, and
// optional ones that show what can be said.
func Sample(api *spec.API, version string) ([]byte, error) {
	return nil, nil
}

// ValidateObject returns what the API server would say against an object (YAML or JSON) of a CRD; nothing when
// the object is valid.
func ValidateObject(crd *apiextv1.CustomResourceDefinition, object []byte) []string {
	return nil
}

// Packages returns the Go packages of a project's APIs, one for each group version, sorted by Dir.
func Packages(p *spec.Project, apis []*spec.API) ([]Package, spec.Problems) {
	return nil, nil
}
