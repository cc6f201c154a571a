package scaffold

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/templates"
)

// standInAnnotation marks a CRD that package operatortest installs only where there is none.
const standInAnnotation = "opgen.dev/stand-in"

// foreignCRDs renders CRDs that stand in, in tests, for those of the foreign kinds that an operator has: any object is
// valid.
func foreignCRDs(kinds []resource) func() ([]byte, error) {
	return func() ([]byte, error) {
		var documents [][]byte
		for _, crd := range standIns(kinds) {
			document, err := crdgen.MarshalCRD(crd)
			if err != nil {
				return nil, err
			}
			documents = append(documents, document)
		}
		return slices.Concat([]byte(generatedYAML), bytes.Join(documents, []byte("---\n"))), nil
	}
}

// standIns returns a CRD for each kind, with all its versions that are used.
func standIns(kinds []resource) []*apiextv1.CustomResourceDefinition {
	kinds = slices.SortedFunc(slices.Values(kinds), func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.plural, b.plural), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	kinds = slices.CompactFunc(kinds, func(a, b resource) bool { return a.plural == b.plural && a.APIVersion == b.APIVersion })
	var crds []*apiextv1.CustomResourceDefinition
	for _, k := range kinds {
		name, version := k.plural+"."+k.group, strings.TrimPrefix(k.APIVersion, k.group+"/")
		if last := len(crds) - 1; last >= 0 && crds[last].Name == name {
			crds[last].Spec.Versions = append(crds[last].Spec.Versions, openVersion(version, false))
			continue
		}
		crds = append(crds, standIn(k, name, version))
	}
	return crds
}

func standIn(k resource, name, version string) *apiextv1.CustomResourceDefinition {
	annotations := map[string]string{standInAnnotation: "true"}
	if strings.HasSuffix("."+k.group, ".k8s.io") || strings.HasSuffix("."+k.group, ".kubernetes.io") {
		annotations["api-approved.kubernetes.io"] = "unapproved, stands in for the real one in tests"
	}
	scope := apiextv1.NamespaceScoped
	if !k.namespaced {
		scope = apiextv1.ClusterScoped
	}
	return &apiextv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: k.group, Scope: scope,
			Names: apiextv1.CustomResourceDefinitionNames{
				Kind: k.Kind, ListKind: k.Kind + "List", Plural: k.plural, Singular: strings.ToLower(k.Kind),
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

// foreignOutputs are the stand-ins of an operator's package, where it has foreign kinds.
func foreignOutputs(folder string, kinds []resource) []output {
	if len(kinds) == 0 {
		return nil
	}
	return []output{{path: folder + "/" + templates.StandInsFile, render: foreignCRDs(kinds)}}
}
