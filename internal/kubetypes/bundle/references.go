package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// typesBySchema maps a schema, as JSON, to the names of the types that have it. Most of a flattened
// schema repeats other types, so the archive stores a reference wherever a part of a schema equals
// the whole schema of a type.
type typesBySchema map[string][]string

func references(types map[string]kubetypes.Type) typesBySchema {
	found := typesBySchema{}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		s := types[name].Schema
		if len(s.Properties) > 0 {
			found[keyOfContent(s)] = append(found[keyOfContent(s)], name)
		}
	}
	return found
}

// keyOfContent returns what two schemas must have in common to be interchangeable: everything except
// the description and the default, which a reference can override.
func keyOfContent(s apiextv1.JSONSchemaProps) string {
	s.Description, s.Default = "", nil
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a schema of controller-tools is always JSON
	}
	return string(text)
}

// insertReferencesBelow replaces parts of the schema of the type owner by references.
func (t typesBySchema) insertReferencesBelow(s *apiextv1.JSONSchemaProps, owner string) {
	s.Properties = maps.Clone(s.Properties)
	for name, property := range s.Properties {
		t.insertReference(&property, owner)
		s.Properties[name] = property
	}
	if s.Items != nil {
		s.Items = s.Items.DeepCopy()
		t.insertReference(s.Items.Schema, owner)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		s.AdditionalProperties = s.AdditionalProperties.DeepCopy()
		t.insertReference(s.AdditionalProperties.Schema, owner)
	}
}

func (t typesBySchema) insertReference(s *apiextv1.JSONSchemaProps, owner string) {
	if len(s.Properties) == 0 {
		t.insertReferencesBelow(s, owner)
		return
	}
	if names := t[keyOfContent(*s)]; len(names) > 0 {
		name := closestName(names, owner)
		*s = apiextv1.JSONSchemaProps{Ref: &name, Description: s.Description, Default: s.Default}
		return
	}
	t.insertReferencesBelow(s, owner)
}

// closestName returns the type to refer to if several have the same schema: one of the owner's
// package if there is one, or else the first by name.
func closestName(names []string, owner string) string {
	pkg := owner[:strings.LastIndex(owner, ".")+1]
	for _, name := range names {
		if strings.HasPrefix(name, pkg) {
			return name
		}
	}
	return names[0]
}
