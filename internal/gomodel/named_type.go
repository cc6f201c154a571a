package gomodel

import (
	"maps"
	"reflect"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Expand returns a node that uses a named type with a Go type of its own, or none: what other named
// types declare is written out, with what the node says laid over it.
func Expand(s *spec.Schema) *spec.Schema {
	for s.Use != nil && (!hasGoType(s.Use.Schema) || narrowsType(s)) {
		s = writtenOut(s)
	}
	return s
}

// narrowsType reports whether a node sets a limit that the type it uses has set already: it
// replaces that one, while controller-gen would ask for both.
func narrowsType(s *spec.Schema) bool {
	limits := func(k apiextv1.JSONSchemaProps) []any {
		return []any{k.Minimum, k.Maximum, k.MultipleOf, k.MinLength, k.MaxLength, k.MinItems, k.MaxItems, k.MinProperties, k.MaxProperties,
			k.Pattern, k.Format, k.Enum, k.Required, k.XListType, k.XListMapKeys, k.XMapType, k.AllOf, k.AnyOf, k.OneOf, k.Not}
	}
	base := limits(crdgen.FullSchema(s.Use.Schema))
	for i, limit := range limits(s.Keywords) {
		if !reflect.ValueOf(limit).IsZero() && !reflect.ValueOf(base[i]).IsZero() {
			return true
		}
	}
	return false
}

// writtenOut returns a node as it would be without the name of the type that it uses.
func writtenOut(s *spec.Schema) *spec.Schema {
	out := *s.Use.Schema
	out.Pos, out.At = s.Pos, s.At
	out.Keywords = crdgen.Overlay(out.Keywords, s.Keywords)
	return &out
}

// hasGoType reports whether a named type is a Go type too: a struct, an enum, a list, a map or a
// plain scalar. Those that stand for a type of Kubernetes or for another named type are what they
// stand for.
func hasGoType(s *spec.Schema) bool {
	k := &s.Keywords
	switch {
	case s.Use != nil || goTypeName(s) != "":
		return false
	case IsStruct(s):
		return true
	case k.Type == "object":
		return s.AdditionalProperties != nil
	case k.Type == "array":
		return s.Items != nil
	default:
		return k.Type == "boolean" || k.Type == "integer" || k.Type == "number" || k.Type == "string" && k.Format != "byte"
	}
}

// declaredType is a named type of the spec file with the Go type that is declared for it.
type declaredType struct {
	of     *spec.NamedType
	goType *GoType
}

// typeOfUse returns the Go type of the named type of a node, which is declared when it is first
// used.
func (b *packageBuilder) typeOfUse(n node) *GoType {
	t := n.schema.Use
	known, found := b.used[t]
	if !found {
		known = b.declareOnce(t)
		b.used[t] = known
	}
	return known.goType
}

// declareOnce declares the Go type of a named type, unless another API of the package has the same.
func (b *packageBuilder) declareOnce(t *spec.NamedType) *declaredType {
	for _, other := range b.named {
		if other.of.Name == t.Name && other.of.GoName == t.GoName && sameSchema(other.of.Schema, t.Schema) {
			return other
		}
	}
	g := &declaredType{of: t, goType: b.declareNamed(t)}
	b.named = append(b.named, g)
	return g
}

// declareNamed declares the Go type of a named type: under its own name, or that with the kind
// before it if another API of the package has a type of the name.
func (b *packageBuilder) declareNamed(t *spec.NamedType) *GoType {
	name := t.Name
	if t.GoName != "" {
		name = t.GoName
	}
	if b.names[name] {
		name = b.kindName + name
	}
	name = b.names.claim(name)
	n := node{schema: t.Schema, path: name, status: !b.outsideStatus[t], element: true, hasCrossFieldRules: b.hasCrossFieldRules[t] || hasOwnCrossFieldRules(t.Schema)}.named(name)
	switch s := t.Schema; {
	case IsStruct(s):
		return b.declareStruct(n)
	case stringEnum(&s.Keywords) != nil:
		return b.declareEnum(n)
	default:
		at := len(b.pkg.Types)
		b.pkg.Types = append(b.pkg.Types, Type{})
		of := b.typeOf(n)
		b.pkg.Types[at] = Type{Name: name, Of: of, Doc: ownDoc(n), Markers: append(shapeMarkers(s), itemMarkers(s)...)}
		return namedType(name, of)
	}
}

// usedOutsideStatus returns the named types that are used elsewhere than below status only: there,
// not only the operator writes them.
func usedOutsideStatus(kinds []kindVersion) map[*spec.NamedType]bool {
	found := map[*spec.NamedType]bool{}
	var walk func(s *spec.Schema)
	walk = func(s *spec.Schema) {
		if s == nil || s.Use != nil && found[s.Use] {
			return
		}
		if s.Use != nil {
			found[s.Use] = true
			walk(s.Use.Schema)
			return
		}
		for _, p := range s.Properties {
			walk(p.Schema)
		}
		walk(s.Items)
		walk(s.AdditionalProperties)
	}
	for _, k := range kinds {
		walk(k.version.Root)
		walk(k.version.Spec)
	}
	return found
}

// usedBelowCrossFieldRules returns the named types that are used below a schema that says which
// fields go together.
func usedBelowCrossFieldRules(kinds []kindVersion) map[*spec.NamedType]bool {
	found := map[*spec.NamedType]bool{}
	var walk func(s *spec.Schema, below bool)
	walk = func(s *spec.Schema, below bool) {
		if s == nil {
			return
		}
		below = below || crdgen.HasCrossFieldRules(&s.Keywords)
		if s.Use != nil {
			if before, seen := found[s.Use]; !seen || below && !before {
				found[s.Use] = below
				walk(s.Use.Schema, below)
			}
		}
		for _, p := range s.Properties {
			walk(p.Schema, below)
		}
		walk(s.Items, below)
		walk(s.AdditionalProperties, below)
	}
	for _, k := range kinds {
		walk(k.version.Status, crdgen.RootHasRulesFor(k.version, "status"))
	}
	return found
}

// sameSchema reports whether two schemas say the same, wherever they stand in files.
func sameSchema(a, b *spec.Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Use == nil) != (b.Use == nil) || a.Use != nil && (a.Use.Name != b.Use.Name || !sameSchema(a.Use.Schema, b.Use.Schema)) {
		return false
	}
	return a.Type == b.Type && maps.Equal(a.GoConstants, b.GoConstants) && reflect.DeepEqual(a.Keywords, b.Keywords) &&
		slices.EqualFunc(a.Properties, b.Properties, func(a, b spec.Property) bool {
			return a.Name == b.Name && a.GoName == b.GoName && sameSchema(a.Schema, b.Schema)
		}) &&
		sameSchema(a.Items, b.Items) && sameSchema(a.AdditionalProperties, b.AdditionalProperties) &&
		reflect.DeepEqual(a.AdditionalPropertiesAllowed, b.AdditionalPropertiesAllowed)
}
