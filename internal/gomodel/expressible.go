package gomodel

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// ElementSchema returns the schema that the elements of a list or map get their Go type from.
func ElementSchema(s *spec.Schema, of Shape) *spec.Schema {
	s = Expand(s)
	if s.Use != nil && !markersExpress(s, of) {
		s = Expand(writtenOut(s)) // only a type of its own can express what it lays over the named type
	}
	return s
}

// ElementExpressible reports whether the elements of a list or map need no type of their own: a
// type is declared for them in any case, or the markers of the list or map express their schema.
func ElementExpressible(s *spec.Schema, of Shape) bool {
	return declaresType(s) || markersExpress(s, of)
}

func markersExpress(s *spec.Schema, of Shape) bool {
	if of == Map {
		return valuesExpressible(s)
	}
	return itemsExpressible(s)
}

// itemsExpressible reports whether the markers of a list can express the schema of its items.
func itemsExpressible(s *spec.Schema) bool {
	for _, marker := range shapeMarkers(s) {
		if !strings.HasPrefix(marker, validationPrefix) {
			return false
		}
	}
	return s.Keywords.Description == "" && len(useMarkers(s)) == 0 && len(itemMarkers(s)) == 0
}

// valuesExpressible reports whether the schema of the values of a map is their type alone, since
// maps have no markers for their values.
func valuesExpressible(s *spec.Schema) bool {
	return len(shapeMarkers(s)) == 0 && itemsExpressible(s)
}

// declaresType reports whether a struct or an enum is declared for the node alone, and has its
// markers.
func declaresType(s *spec.Schema) bool {
	return IsStruct(s) || s.Type == "" && s.Use == nil && stringEnum(&s.Keywords) != nil
}

// IsStruct reports whether a node is a struct in Go: the schema lists its fields, or an empty list
// of them.
func IsStruct(s *spec.Schema) bool {
	k := &s.Keywords
	return s.Type == "" && s.Use == nil && !k.XIntOrString && (len(s.Properties) > 0 || k.Type == "object" &&
		s.AdditionalProperties == nil && s.AdditionalPropertiesAllowed == nil && k.XPreserveUnknownFields == nil)
}
