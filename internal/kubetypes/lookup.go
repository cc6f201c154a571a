package kubetypes

import (
	"slices"
	"strings"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// kinds are all kinds, sorted by CompareKinds.
var kinds = sync.OnceValue(func() []Kind {
	var all []Kind
	read(entries()[KindsEntry], &all)
	return all
})

// Lookup returns what is known of a kind. The apiVersion is group/version, or the version alone for the core
// group.
func Lookup(apiVersion, kind string) (Kind, bool) {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	at, found := slices.BinarySearchFunc(kinds(), Kind{Group: group, Version: version, Kind: kind}, CompareKinds)
	if !found {
		return Kind{}, false
	}
	return kinds()[at], true
}

// Kinds returns every kind that is known, sorted by CompareKinds.
func Kinds() []Kind { return slices.Clone(kinds()) }

// Versions maps the Go modules that the bundle was made from to their versions.
func Versions() map[string]string {
	versions := map[string]string{}
	read(entries()[VersionsEntry], &versions)
	return versions
}

// TypeNames returns the name of every type that is known, sorted.
func TypeNames() []string {
	var names []string
	for name := range entries() {
		if name != KindsEntry && name != VersionsEntry {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TypeByName returns a type by the name that spec files use, such as core/v1.ResourceRequirements. The caller
// owns its schema.
func TypeByName(name string) (Type, bool) {
	if _, found := entries()[name]; !found || name == KindsEntry || name == VersionsEntry {
		return Type{}, false
	}
	r := resolver{}
	return r.resolve(name), true
}

// Referring returns a type as TypeByName does, but where its schema is made of other types it has references with
// their names, each with a description and a default of its own. It reads one entry.
func Referring(name string) (Type, bool) {
	entry, found := entries()[name]
	if !found || name == KindsEntry || name == VersionsEntry {
		return Type{}, false
	}
	var t Type
	read(entry, &t)
	return t, true
}

// Outline returns a type as TypeByName does, but with no more of its schema than the keywords of the type itself.
// It reads one entry, whatever the type is made of.
func Outline(name string) (Type, bool) {
	t, found := Referring(name)
	t.Schema.Properties, t.Schema.Items, t.Schema.AdditionalProperties = nil, nil, nil
	return t, found
}

// resolver resolves the references of schemas; it remembers the types it has read, so that each is read once.
type resolver map[string]Type

func (r resolver) resolve(name string) Type {
	if t, known := r[name]; known {
		t.Schema = *t.Schema.DeepCopy()
		return t
	}
	var t Type
	read(entries()[name], &t)
	r.inline(&t.Schema)
	r[name] = t
	return t
}

// inline replaces the references in a schema by what they refer to. A reference keeps its own description and
// default.
func (r resolver) inline(s *apiextv1.JSONSchemaProps) {
	if s.Ref != nil {
		description, def := s.Description, s.Default
		*s = r.resolve(*s.Ref).Schema
		s.Description, s.Default = description, def
		return
	}
	for name, property := range s.Properties {
		r.inline(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		r.inline(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		r.inline(s.AdditionalProperties.Schema)
	}
}
