package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// typesBySchema finds the names of the types that have a schema. Most of a flat schema repeats other types, so
// the archive stores a reference wherever a part of a schema is the whole schema of a type.
type typesBySchema map[string][]string

func references(types map[string]kubetypes.Type) typesBySchema {
	found := typesBySchema{}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		s := types[name].Schema
		if len(s.Properties) > 0 {
			found[key(s)] = append(found[key(s)], name)
		}
	}
	return found
}

// key is what two schemas have in common when one can stand for the other: everything but what a reference
// says itself.
func key(s apiextv1.JSONSchemaProps) string {
	s.Description, s.Default = "", nil
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a schema of controller-tools is always JSON
	}
	return string(text)
}

// replaceBelow puts references into the parts of the schema of the type called owner.
func (t typesBySchema) replaceBelow(s *apiextv1.JSONSchemaProps, owner string) {
	s.Properties = maps.Clone(s.Properties)
	for name, property := range s.Properties {
		t.replace(&property, owner)
		s.Properties[name] = property
	}
	if s.Items != nil {
		s.Items = s.Items.DeepCopy()
		t.replace(s.Items.Schema, owner)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		s.AdditionalProperties = s.AdditionalProperties.DeepCopy()
		t.replace(s.AdditionalProperties.Schema, owner)
	}
}

func (t typesBySchema) replace(s *apiextv1.JSONSchemaProps, owner string) {
	if len(s.Properties) == 0 {
		t.replaceBelow(s, owner)
		return
	}
	if names := t[key(*s)]; len(names) > 0 {
		name := closest(names, owner)
		*s = apiextv1.JSONSchemaProps{Ref: &name, Description: s.Description, Default: s.Default}
		return
	}
	t.replaceBelow(s, owner)
}

// closest prefers a type of the owner's own package, then the first by name.
func closest(names []string, owner string) string {
	pkg := owner[:strings.LastIndex(owner, ".")+1]
	for _, name := range names {
		if strings.HasPrefix(name, pkg) {
			return name
		}
	}
	return names[0]
}
