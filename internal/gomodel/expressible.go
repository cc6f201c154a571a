package gomodel

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// ElementSchema returns the schema that determines the Go type of the elements of a list or map.
func ElementSchema(s *spec.Schema, of Shape) *spec.Schema {
	s = Expand(s)
	if s.Use != nil && !markersExpress(s, of) {
		s = Expand(writtenOut(s)) // only a new type can express what is added to the named type
	}
	return s
}

// ElementExpressible reports whether the elements of a list or map need no additional type: a type
// is declared for them anyway, or markers of the list or map express their schema.
func ElementExpressible(s *spec.Schema, of Shape) bool {
	return declaresType(s) || markersExpress(s, of)
}

func markersExpress(s *spec.Schema, of Shape) bool {
	if of == Map {
		return valuesExpressible(s)
	}
	return itemsExpressible(s)
}

// itemsExpressible reports whether markers of a list can express the schema of its items.
func itemsExpressible(s *spec.Schema) bool {
	for _, marker := range validationMarkers(s) {
		if !strings.HasPrefix(marker, validationPrefix) {
			return false
		}
	}
	return s.Keywords.Description == "" && len(useMarkers(s)) == 0 && len(itemMarkers(s)) == 0
}

// valuesExpressible reports whether the schema of a map's values is just a type. There are no
// markers for values of maps.
func valuesExpressible(s *spec.Schema) bool {
	return len(validationMarkers(s)) == 0 && itemsExpressible(s)
}

// declaresType reports whether a struct or an enum is declared for the node, which then has its
// markers.
func declaresType(s *spec.Schema) bool {
	return IsStruct(s) || s.Type == "" && s.Use == nil && stringEnum(&s.Keywords) != nil
}

// IsStruct reports whether the Go type of a node is a struct: the schema lists fields, or an empty
// list of them.
func IsStruct(s *spec.Schema) bool {
	k := &s.Keywords
	return s.Type == "" && s.Use == nil && !k.XIntOrString && (len(s.Properties) > 0 || k.Type == "object" &&
		s.AdditionalProperties == nil && s.AdditionalPropertiesAllowed == nil && k.XPreserveUnknownFields == nil)
}
