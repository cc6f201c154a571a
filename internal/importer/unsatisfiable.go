package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// hasUnsatisfiable reports whether an API has schemas that no value satisfies. Some published CRDs
// have such schemas.
func hasUnsatisfiable(api *spec.API) bool {
	schemas := make([]*spec.Schema, 0, 3*len(api.Versions)+len(api.Types))
	for _, v := range api.Versions {
		schemas = append(schemas, v.Root, v.Spec, v.Status)
	}
	for _, t := range api.Types {
		schemas = append(schemas, t.Schema)
	}
	return slices.ContainsFunc(schemas, isUnsatisfiable)
}

func isUnsatisfiable(s *spec.Schema) bool {
	if s == nil {
		return false
	}
	return len(spec.Unsatisfiable(&s.Keywords, nil)) > 0 || isUnsatisfiable(s.Items) || isUnsatisfiable(s.AdditionalProperties) ||
		slices.ContainsFunc(s.Properties, func(p spec.Property) bool { return isUnsatisfiable(p.Schema) })
}

// acceptUnsatisfiable returns a copy of a spec file with the warning about unsatisfiable schemas
// accepted.
func acceptUnsatisfiable(file *yaml.Node) *yaml.Node {
	accepts := mapping{&yaml.Node{Kind: file.Kind, Content: slices.Clone(file.Content[:4])}} // apiVersion and kind
	accepts.set("acceptWarnings", textListNode([]string{string(spec.WarnUnsatisfiable)}))
	accepts.Content = append(accepts.Content, file.Content[4:]...)
	return accepts.Node
}
