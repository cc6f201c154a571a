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
	readBundle(entryNamed(KindsEntry), &all)
	return all
})

// Lookup returns a kind of Kubernetes, and whether there is one. The apiVersion is group/version,
// or the version alone for the core group.
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

// Kinds returns every kind in the bundle, sorted by CompareKinds.
func Kinds() []Kind { return slices.Clone(kinds()) }

// Versions maps the Go modules that the bundle was made from to their versions.
func Versions() map[string]string {
	versions := map[string]string{}
	readBundle(entryNamed(VersionsEntry), &versions)
	return versions
}

// TypeNames returns the name of every type in the bundle, sorted.
func TypeNames() []string {
	var names []string
	for _, f := range entries() {
		if f.Name != KindsEntry && f.Name != VersionsEntry {
			names = append(names, f.Name)
		}
	}
	return names
}

// TypeByName returns a type by its name in spec files, such as core/v1.ResourceRequirements. Its
// schema names all fields of metadata. The caller may change it.
func TypeByName(name string) (Type, bool) {
	r := Reader{Metadata: AllMetadata}
	t, found := r.Type(name)
	t.Schema = *t.Schema.DeepCopy()
	return t, found
}

// Referring returns a type as TypeByName does, but leaves references to other types in its schema,
// by their names. A reference can have another description and default than its type. It reads one
// entry, while TypeByName reads one for each type below it.
func Referring(name string) (Type, bool) {
	f := entryNamed(name)
	if f == nil || name == KindsEntry || name == VersionsEntry {
		return Type{}, false
	}
	var t Type
	readBundle(f, &t)
	return t, true
}

// Outline returns a type as TypeByName does, but its schema has only the keywords of the type
// itself, without fields or items. It reads one entry, once. The caller must not change the schema.
func Outline(name string) (Type, bool) {
	if t, found := outlines.Load(name); found {
		return t.(Type), true
	}
	t, found := Referring(name)
	if !found {
		return Type{}, false
	}
	t.Schema.Properties, t.Schema.Items, t.Schema.AdditionalProperties = nil, nil, nil
	outlines.Store(name, t)
	return t, true
}

// Reader reads types and remembers them, so that it decodes each only once.
type Reader struct {
	Metadata Metadata // of embedded objects

	known map[string]Type
}

// Type returns a type by its name in spec files. The caller must not change the schema, because
// schemas share their parts.
func (r *Reader) Type(name string) (Type, bool) {
	if t, known := r.known[name]; known {
		return t, true
	}
	t, found := Referring(name)
	if !found {
		return t, false
	}
	if name == ObjectMeta {
		t.Schema = r.Metadata.limitSchema(t.Schema)
	}
	r.inline(&t.Schema)
	if r.known == nil {
		r.known = map[string]Type{}
	}
	r.known[name] = t
	return t, true
}

// inline replaces the references in a schema by the schemas of the types. The description and the
// default of a reference take precedence.
func (r *Reader) inline(s *apiextv1.JSONSchemaProps) {
	if s.Ref != nil {
		description, def := s.Description, s.Default
		t, _ := r.Type(*s.Ref)
		*s = t.Schema
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
	requireKeysOf(s)
}
