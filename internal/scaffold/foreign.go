package scaffold

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/templates"
)

// standInAnnotation marks a CRD that package operatortest installs only if the kind has no other
// CRD.
const standInAnnotation = "opgen.dev/stand-in"

// foreignCRDs returns a renderer of CRDs for foreign kinds of an operator. Tests install them in
// place of the real ones; they accept any object.
func foreignCRDs(foreign []kinds.Resource) func() ([]byte, error) {
	return func() ([]byte, error) {
		var documents [][]byte
		for _, crd := range standIns(foreign) {
			document, err := crdgen.MarshalCRD(crd)
			if err != nil {
				return nil, err
			}
			documents = append(documents, document)
		}
		return slices.Concat([]byte(generatedYAML), bytes.Join(documents, []byte("---\n"))), nil
	}
}

// standIns returns a CRD for each kind, with all versions that the project uses.
func standIns(foreign []kinds.Resource) []*apiextv1.CustomResourceDefinition {
	foreign = slices.SortedFunc(slices.Values(foreign), func(a, b kinds.Resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Plural, b.Plural), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	foreign = slices.CompactFunc(foreign, func(a, b kinds.Resource) bool { return a.Plural == b.Plural && a.APIVersion == b.APIVersion })
	var crds []*apiextv1.CustomResourceDefinition
	for _, k := range foreign {
		name, version := k.Plural+"."+k.Group, strings.TrimPrefix(k.APIVersion, k.Group+"/")
		if last := len(crds) - 1; last >= 0 && crds[last].Name == name {
			crds[last].Spec.Versions = append(crds[last].Spec.Versions, openVersion(version, false))
			continue
		}
		crds = append(crds, standIn(k, name, version))
	}
	return crds
}

func standIn(k kinds.Resource, name, version string) *apiextv1.CustomResourceDefinition {
	annotations := map[string]string{standInAnnotation: "true"}
	if strings.HasSuffix("."+k.Group, ".k8s.io") || strings.HasSuffix("."+k.Group, ".kubernetes.io") {
		annotations["api-approved.kubernetes.io"] = "unapproved, stands in for the real one in tests"
	}
	scope := apiextv1.NamespaceScoped
	if !k.Namespaced {
		scope = apiextv1.ClusterScoped
	}
	return &apiextv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: k.Group, Scope: scope,
			Names: apiextv1.CustomResourceDefinitionNames{
				Kind: k.Kind, ListKind: k.Kind + "List", Plural: k.Plural, Singular: strings.ToLower(k.Kind),
			},
			Versions: []apiextv1.CustomResourceDefinitionVersion{openVersion(version, true)},
		},
	}
}

func openVersion(name string, storage bool) apiextv1.CustomResourceDefinitionVersion {
	return apiextv1.CustomResourceDefinitionVersion{
		Name: name, Served: true, Storage: storage,
		Schema: &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &apiextv1.JSONSchemaProps{
			Type: "object", XPreserveUnknownFields: new(true),
		}},
		Subresources: &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}},
	}
}

// foreignOutputs returns the file of stand-ins for an operator's package, if it has foreign kinds.
func foreignOutputs(folder string, foreign []kinds.Resource) []output {
	if len(foreign) == 0 {
		return nil
	}
	return []output{{path: folder + "/" + templates.StandInsFile, render: foreignCRDs(foreign)}}
}
