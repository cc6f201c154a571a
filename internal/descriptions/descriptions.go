// Package descriptions shortens the descriptions of CustomResourceDefinitions.
package descriptions

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
)

// Shorten returns a CRD whose descriptions have so many characters at the most; all of them if that is
// negative. It does not change the one that it gets.
func Shorten(made *apiextv1.CustomResourceDefinition, most int64) *apiextv1.CustomResourceDefinition {
	if most < 0 {
		return made
	}
	made = made.DeepCopy()
	for i := range made.Spec.Versions {
		crd.TruncateDescription(made.Spec.Versions[i].Schema.OpenAPIV3Schema, int(most))
	}
	return made
}
