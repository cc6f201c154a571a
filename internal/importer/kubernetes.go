package importer

import (
	"encoding/json"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// kubernetesType returns the Kubernetes type whose schema an object has, description by description, and the
// keywords that are the type's. What a field says of itself, its description and its default, is laid over it.
func kubernetesType(n *yaml.Node) (name string, used []string) {
	fields := value(n, "properties")
	if fields == nil || len(fields.Content) == 0 {
		return "", nil
	}
	var names []string
	for _, e := range entries(fields) {
		names = append(names, e.key.Value)
	}
	candidates := kubetypes.TypesWithFields(names)
	if len(candidates) == 0 {
		return "", nil
	}
	said, ok := typed(n)
	if !ok {
		return "", nil
	}
	description := said.Description
	said.Description, said.Default = "", nil
	for _, candidate := range candidates {
		outline, _ := kubetypes.Outline(candidate)
		if description == "" && n.HeadComment == "" && outline.Schema.Description != "" || len(outline.Schema.Required) != len(said.Required) {
			continue // a description is one that the type would bring along
		}
		t, _ := kubetypes.TypeByName(candidate)
		known := t.Schema
		sortRequired(&known)
		known.Description = ""
		if reflect.DeepEqual(known, said) {
			return candidate, typeKeywords(n, description == outline.Schema.Description && n.HeadComment == "")
		}
	}
	return "", nil
}

// typeKeywords are the keywords of an object that its type has: not a default, nor another description.
func typeKeywords(n *yaml.Node, described bool) []string {
	var names []string
	for _, e := range entries(n) {
		if e.key.Value != "default" && (described || e.key.Value != "description") {
			names = append(names, e.key.Value)
		}
	}
	return names
}

// typed returns a schema as the API has it, with required sorted.
func typed(n *yaml.Node) (apiextv1.JSONSchemaProps, bool) {
	var s apiextv1.JSONSchemaProps
	raw, ok := compactJSON(n)
	if !ok || json.Unmarshal([]byte(raw), &s) != nil {
		return s, false
	}
	sortRequired(&s)
	return s, true
}

func sortRequired(s *apiextv1.JSONSchemaProps) {
	slices.Sort(s.Required)
	for name, p := range s.Properties {
		sortRequired(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		sortRequired(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		sortRequired(s.AdditionalProperties.Schema)
	}
}
