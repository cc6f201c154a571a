// Package oracle finds what the markers of generated Go types cannot express. There, controller-gen
// makes another CRD from the types than opgen makes from the spec file.
package oracle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Gap is a part of a CRD that no marker can express.
type Gap struct {
	Path string // such as EchoServer.spec.target
	What string // such as oneOf
}

// NotExpressible returns the gaps of the generated types of a package, sorted, each once.
func NotExpressible(pkg gomodel.Package) []Gap {
	f := &finder{types: map[string]gomodel.Type{}}
	for _, t := range pkg.Types {
		f.types[t.Name] = t
	}
	for _, k := range pkg.Kinds {
		for _, v := range crdgen.Unchecked(k.API).Spec.Versions {
			f.namesMetadata = f.namesMetadata || kubetypes.NamesMetadata(v.Schema.OpenAPIV3Schema)
		}
	}
	for _, k := range pkg.Kinds {
		version := slices.IndexFunc(k.API.Versions, func(v spec.Version) bool { return v.Name == pkg.Version })
		if !k.GoTypes {
			f.addKind(k, &k.API.Versions[version])
		}
	}
	slices.SortFunc(f.gaps, func(x, y Gap) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.What, y.What))
	})
	return slices.Compact(f.gaps)
}

// finder walks the schemas of a package beside their Go types.
type finder struct {
	types map[string]gomodel.Type // of the package, by name
	// namesMetadata is true if the CRD of some kind names fields of the metadata of an object
	// within it. controller-gen then names those of all metadata.
	namesMetadata bool
	gaps          []Gap
}

// place is a schema with its Go type.
type place struct {
	schema  *spec.Schema
	goType  *gomodel.GoType
	path    string
	element bool // an item of a list or a value of a map, which has no field
}

func (f *finder) add(path, what string) { f.gaps = append(f.gaps, Gap{path, what}) }

// addDescription adds a gap unless a doc comment is a description, word for word.
func (f *finder) addDescription(path, description string, doc []string) {
	if description != "" && !slices.Equal(doc, strings.Split(description, "\n")) {
		f.add(path, "description")
	}
}

// addKind adds the gaps of a kind and of the schemas of one of its versions.
func (f *finder) addKind(k gomodel.Kind, v *spec.Version) {
	for _, what := range kindGaps(k, v) {
		f.add(k.Name, what)
	}
	f.addDescription(k.Name, v.Description, f.types[k.Name].Doc)
	root := place{path: k.Name, goType: &gomodel.GoType{Shape: gomodel.Name, Name: k.Name}}
	for _, part := range []struct {
		name   string
		schema *spec.Schema
	}{{"spec", v.Spec}, {"status", v.Status}} {
		if part.schema != nil {
			f.addField(root, part.name, part.schema)
		}
	}
	if v.Root == nil {
		return
	}
	for _, p := range v.Root.Properties {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, p.Name) {
			root.schema = v.Root
			f.addField(root, p.Name, p.Schema)
		}
	}
}

// addField adds the gaps of a field of a struct.
func (f *finder) addField(parent place, name string, s *spec.Schema) {
	field := f.fieldOf(parent.goType, name)
	p := place{schema: gomodel.Expand(s), goType: field.Type, path: parent.path + "." + name}
	f.addDescription(p.path, p.schema.Keywords.Description, field.Doc)
	f.addKeywords(p)
	if parent.schema != nil && parent.schema.Keywords.XEmbeddedResource && name == "metadata" && p.schema.Type == "" {
		if len(p.schema.Properties) > 0 || f.namesMetadata {
			f.add(p.path, "keywords of metadata")
		}
		return
	}
	f.addBelow(p)
}

// addElement adds the gaps of the elements of a list or map.
func (f *finder) addElement(parent place, step string, s *spec.Schema, of gomodel.Shape) {
	p := place{
		schema: gomodel.ElementSchema(s, of), goType: resolveType(parent.goType).Elem,
		path: parent.path + "." + step, element: true,
	}
	f.addKeywords(p)
	if !gomodel.ElementExpressible(p.schema, of) {
		switch t := withoutPointer(p.goType); {
		case t.Package != "":
			f.add(p.path, "keywords of an element of a Kubernetes type")
		case t.Shape == gomodel.List && t.Elem.Name == "byte":
			f.add(p.path, "keywords of an element of bytes")
		}
	}
	if p.schema.Use == nil {
		f.addTypeDescription(p)
	}
	f.addBelow(p)
}

// addTypeDescription adds a gap if the type of a place is declared for it and its doc comment is
// not the description.
func (f *finder) addTypeDescription(p place) {
	t := withoutPointer(p.goType)
	if declared, ours := f.types[t.Name]; ours && t.Package == "" && t.Shape == gomodel.Name {
		f.addDescription(p.path, p.schema.Keywords.Description, declared.Doc)
	}
}

// addBelow adds the gaps of the schemas below a place.
func (f *finder) addBelow(p place) {
	s := p.schema
	switch {
	case s.Use != nil:
		p.schema, p.element = s.Use.Schema, true
		f.addKeywords(p)
		f.addTypeDescription(p)
		f.addBelow(p)
	case s.Type != "" || s.Keywords.XIntOrString:
	case gomodel.IsStruct(s):
		for _, property := range s.Properties {
			f.addField(p, property.Name, property.Schema)
		}
	case s.AdditionalProperties != nil:
		f.addElement(p, "additionalProperties", s.AdditionalProperties, gomodel.Map)
	case s.Items != nil:
		f.addElement(p, "items", s.Items, gomodel.List)
	}
}

// fieldOf returns the field of a struct by its JSON name.
func (f *finder) fieldOf(t *gomodel.GoType, name string) gomodel.Field {
	for _, field := range f.types[resolveType(t).Name].Fields {
		if tag, _, _ := strings.Cut(field.Tag, ","); tag == name {
			return field
		}
	}
	return gomodel.Field{}
}

// withoutPointer returns the type that a pointer points to, or the type itself.
func withoutPointer(t *gomodel.GoType) *gomodel.GoType {
	for t.Shape == gomodel.Pointer {
		t = t.Elem
	}
	return t
}

// resolveType returns the type that a pointer or a named type stands for.
func resolveType(t *gomodel.GoType) *gomodel.GoType {
	for t = withoutPointer(t); t.Of != nil; {
		t = withoutPointer(t.Of)
	}
	return t
}
