package gomodel

import (
	"maps"
	"reflect"
	"slices"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Expand returns a node that uses a named type which has a Go type, or no named type at all. For
// any other named type, it copies the keywords of the type into the node, whose own keywords win.
func Expand(s *spec.Schema) *spec.Schema {
	for s.Use != nil && (!hasGoType(s.Use.Schema) || narrowsType(s)) {
		s = writtenOut(s)
	}
	return s
}

// narrowsType reports whether a node sets a limit that its named type also sets. The node's limit
// replaces the type's in opgen, while controller-gen would require both.
func narrowsType(s *spec.Schema) bool {
	base := crdgen.FullSchema(s.Use.Schema)
	isSetTwice := func(k *spec.Keyword) bool { return k.IsSet(&s.Keywords) && k.IsSet(&base) }
	return slices.ContainsFunc(spec.KeywordsOf(spec.Limit), isSetTwice) ||
		slices.ContainsFunc(spec.KeywordsOf(spec.Restriction), isSetTwice) ||
		slices.ContainsFunc(spec.KeywordsOf(spec.Combination), isSetTwice)
}

// writtenOut returns a node with the keywords of its named type copied into it.
func writtenOut(s *spec.Schema) *spec.Schema {
	out := *s.Use.Schema
	out.Pos, out.At = s.Pos, s.At
	out.Keywords = crdgen.Overlay(out.Keywords, s.Keywords)
	return &out
}

// hasGoType reports whether a Go type is declared for a named type: it is a struct, an enum, a
// list, a map or a scalar. Otherwise it is another name for a Kubernetes type or for another named
// type.
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

// typeOfUse returns the Go type of the named type of a node. It declares the type at its first use.
func (b *packageBuilder) typeOfUse(n node) *GoType {
	t := n.schema.Use
	known, found := b.used[t]
	if !found {
		known = b.declareOnce(t)
		b.used[t] = known
	}
	return known.goType
}

// declareOnce declares the Go type of a named type, unless another API of the package has an equal
// one.
func (b *packageBuilder) declareOnce(t *spec.NamedType) *declaredType {
	for _, other := range b.named {
		if other.of.Name == t.Name && other.of.GoName == t.GoName && isSameSchema(other.of.Schema, t.Schema) {
			return other
		}
	}
	g := &declaredType{of: t, goType: b.declareNamed(t)}
	b.named = append(b.named, g)
	return g
}

// declareNamed declares the Go type of a named type. If another API of the package has a different
// type with this name, it prefixes the kind.
func (b *packageBuilder) declareNamed(t *spec.NamedType) *GoType {
	name := t.Name
	if t.GoName != "" {
		name = t.GoName
	}
	if b.names[name] {
		name = b.kindName + name
	}
	name = b.names.claim(name)
	n := node{schema: t.Schema, path: name, status: !b.outsideStatus[t], element: true, hasCrossFieldRules: b.hasCrossFieldRules[t] || hasOwnCrossFieldRules(t.Schema)}.withName(name)
	switch s := t.Schema; {
	case IsStruct(s):
		return b.declareStruct(n)
	case stringEnum(&s.Keywords) != nil:
		return b.declareEnum(n)
	default:
		at := len(b.pkg.Types)
		b.pkg.Types = append(b.pkg.Types, Type{})
		of := b.typeOf(n)
		b.pkg.Types[at] = Type{Name: name, Of: of, Doc: n.ownDoc(), Markers: append(validationMarkers(s), itemMarkers(s)...)}
		return namedType(name, of)
	}
}

// usedOutsideStatus returns the named types that are used outside of status, so that users write
// values of them, too.
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

// usedBelowCrossFieldRules returns the named types that are used below a schema with rules about
// several fields.
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

// isSameSchema reports whether two schemas are equal except for their positions.
func isSameSchema(a, b *spec.Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Use == nil) != (b.Use == nil) || a.Use != nil && (a.Use.Name != b.Use.Name || !isSameSchema(a.Use.Schema, b.Use.Schema)) {
		return false
	}
	return a.Type == b.Type && maps.Equal(a.GoConstants, b.GoConstants) && reflect.DeepEqual(a.Keywords, b.Keywords) &&
		slices.EqualFunc(a.Properties, b.Properties, func(a, b spec.Property) bool {
			return a.Name == b.Name && a.GoName == b.GoName && isSameSchema(a.Schema, b.Schema)
		}) &&
		isSameSchema(a.Items, b.Items) && isSameSchema(a.AdditionalProperties, b.AdditionalProperties) &&
		reflect.DeepEqual(a.AdditionalPropertiesAllowed, b.AdditionalPropertiesAllowed)
}
