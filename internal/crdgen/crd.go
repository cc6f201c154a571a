package crdgen

import (
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// CRD returns the CustomResourceDefinition of an API. It is validated with the code of the API
// server, and its CEL rules are compiled for Kubernetes minKubernetes, such as 1.33. CRD returns
// problems, at their positions in the spec file, instead of an invalid CRD.
func CRD(api *spec.API, minKubernetes string) (*apiextv1.CustomResourceDefinition, spec.Problems) {
	if problems := unreadGoTypes(api); len(problems) > 0 {
		return nil, problems
	}
	types, problems := resolveTypes(api.EmbeddedMetadata, api.Versions...)
	crd, schemas := buildCRD(api, types)
	if problem := tooLarge(api, crd, schemas); problem != nil {
		return nil, append(problems, *problem)
	}
	problems = append(problems, elsewhere(checkCRD(api, crd, schemas.rules, minKubernetes), problems)...)
	if len(problems) > 0 {
		return nil, problems
	}
	return crd, nil
}

// elsewhere returns the problems that are at other positions than found. opgen's own message about
// a position is better than that of the API server.
func elsewhere(problems, found spec.Problems) spec.Problems {
	return slices.DeleteFunc(problems, func(p spec.Problem) bool {
		return slices.ContainsFunc(found, func(f spec.Problem) bool { return f.Pos == p.Pos && f.Path == p.Path })
	})
}

// Unchecked returns the CRD of an API without checking it. The checks take most of the time of CRD,
// and an API that has passed them once needs them no more.
func Unchecked(api *spec.API) *apiextv1.CustomResourceDefinition {
	types, _ := resolveTypes(api.EmbeddedMetadata, api.Versions...)
	crd, _ := buildCRD(api, types)
	return crd
}

// buildCRD returns the CRD of an API, unchecked, and the builder of its schemas. The CRD shares
// memory with the API and with types, so none of them may be changed afterwards.
func buildCRD(api *spec.API, types typeSchemas) (*apiextv1.CustomResourceDefinition, *schemaBuilder) {
	crd := &apiextv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{
			APIVersion: apiextv1.SchemeGroupVersion.String(),
			Kind:       "CustomResourceDefinition",
		},
		ObjectMeta: metav1.ObjectMeta{
			Name:        api.Names.Plural + "." + api.Group,
			Annotations: api.Annotations,
			Labels:      api.Labels,
		},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: api.Group,
			Names: apiextv1.CustomResourceDefinitionNames{
				Plural:     api.Names.Plural,
				Singular:   api.Names.Singular,
				Kind:       api.Names.Kind,
				ListKind:   api.Names.ListKind,
				ShortNames: api.Names.ShortNames,
				Categories: api.Names.Categories,
			},
			Scope:      apiextv1.ResourceScope(api.Scope),
			Conversion: api.Conversion,
		},
	}
	schemas := newSchemaBuilder(types)
	for i := range api.Versions {
		v := &api.Versions[i]
		root := schemas.rootSchema(v)
		limitName(root, api.MaxNameLength)
		crd.Spec.Versions = append(crd.Spec.Versions, apiextv1.CustomResourceDefinitionVersion{
			Name:                     v.Name,
			Served:                   v.Served,
			Storage:                  v.Storage,
			Deprecated:               v.Deprecated,
			DeprecationWarning:       v.Warning,
			Schema:                   &apiextv1.CustomResourceValidation{OpenAPIV3Schema: root},
			Subresources:             subresourcesOf(v),
			AdditionalPrinterColumns: columnsOf(v),
			SelectableFields:         selectableFields(v),
		})
	}
	return crd, schemas
}

// limitName limits the names of objects; 0 does not. The API server does not apply a limit of a value to an object that
// had the value before, as it does with a rule: that one would keep the object's finalizers in place, too.
func limitName(root *apiextv1.JSONSchemaProps, limit int) {
	if limit == 0 {
		return
	}
	if root.Properties == nil {
		root.Properties = map[string]apiextv1.JSONSchemaProps{}
	}
	metadata := root.Properties["metadata"]
	metadata.Type, metadata.Properties = "object", maps.Clone(metadata.Properties)
	if metadata.Properties == nil {
		metadata.Properties = map[string]apiextv1.JSONSchemaProps{}
	}
	name := metadata.Properties["name"]
	most := int64(limit)
	if name.MaxLength != nil {
		most = min(most, *name.MaxLength)
	}
	name.Type, name.MaxLength = "string", &most
	metadata.Properties["name"], root.Properties["metadata"] = name, metadata
}

func subresourcesOf(v *spec.Version) *apiextv1.CustomResourceSubresources {
	if !v.Subresources.Status && !v.Subresources.Listed && v.Scale == nil {
		return nil
	}
	s := &apiextv1.CustomResourceSubresources{}
	if v.Subresources.Status {
		s.Status = &apiextv1.CustomResourceSubresourceStatus{}
	}
	if v.Scale != nil {
		s.Scale = &apiextv1.CustomResourceSubresourceScale{
			SpecReplicasPath:   v.Scale.SpecReplicas,
			StatusReplicasPath: v.Scale.StatusReplicas,
		}
		if v.Scale.LabelSelector != "" {
			s.Scale.LabelSelectorPath = &v.Scale.LabelSelector
		}
	}
	return s
}

func columnsOf(v *spec.Version) []apiextv1.CustomResourceColumnDefinition {
	if v.Columns == nil {
		return nil
	}
	out := []apiextv1.CustomResourceColumnDefinition{}
	for _, c := range v.Columns {
		out = append(out, apiextv1.CustomResourceColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description,
			Priority: c.Priority, JSONPath: c.Path,
		})
	}
	return out
}

func selectableFields(v *spec.Version) []apiextv1.SelectableField {
	if v.SelectableFields == nil {
		return nil
	}
	out := []apiextv1.SelectableField{}
	for _, path := range v.SelectableFields {
		out = append(out, apiextv1.SelectableField{JSONPath: path})
	}
	return out
}
