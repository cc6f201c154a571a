package crdgen

import (
	"bytes"
	"regexp"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// presented returns the type and the options of the json tag that a field has for a value of type t.
//
// A required field is always there. An optional one is left out when it is zero, so it is a pointer exactly
// where absent and zero differ; docs/decisions/0003-go-types.md has the rule and its reasons.
func presented(t *GoType, n node, required bool) (*GoType, string) {
	k := &n.schema.Keywords
	pointer := &GoType{Shape: Pointer, Elem: t}
	reference := t.Shape != Name || t.Form == kubetypes.Map || t.Form == kubetypes.Slice
	switch {
	case required && k.Nullable && !reference:
		return pointer, ""
	case required:
		return t, ""
	case reference && k.Default != nil:
		return t, ",omitzero" // an empty list is said, and is not the default
	case reference:
		return t, ",omitempty"
	case t.Form == kubetypes.Struct || k.Nullable || zeroDiffers(n, fullSchema(n.schema)):
		return pointer, ",omitempty"
	default:
		return t, ",omitempty"
	}
}

// fullSchema returns the keywords of a node together with those of the type that it names.
func fullSchema(s *spec.Schema) apiextv1.JSONSchemaProps {
	if s.Use != nil {
		return overlay(fullSchema(s.Use.Schema), s.Keywords)
	}
	t, found := outline(s)
	if !found {
		return s.Keywords
	}
	return overlay(t.Schema, s.Keywords)
}

// zeroDiffers tells whether the zero value of an optional scalar says something else than its absence.
func zeroDiffers(n node, s apiextv1.JSONSchemaProps) bool {
	if !zeroAllowed(s) {
		return false // nobody can say it
	}
	if s.Default != nil {
		return !isZero(s.Default.Raw)
	}
	return s.Type != "string" && !n.status
}

func isZero(raw []byte) bool {
	switch string(bytes.TrimSpace(raw)) {
	case `""`, "0", "0.0", "false", "null":
		return true
	}
	return false
}

// zeroAllowed tells whether the zero value of a scalar is valid.
func zeroAllowed(s apiextv1.JSONSchemaProps) bool {
	if len(s.Enum) > 0 {
		for _, value := range s.Enum {
			if isZero(value.Raw) {
				return true
			}
		}
		return false
	}
	switch s.Type {
	case "string":
		if s.MinLength != nil && *s.MinLength > 0 {
			return false
		}
		if _, checked := formatValues[s.Format]; checked && s.Format != "byte" && s.Format != "password" {
			return false
		}
		pattern, err := regexp.Compile(s.Pattern)
		return err == nil && pattern.MatchString("")
	case "integer", "number":
		low, high := s.Minimum, s.Maximum
		return !(low != nil && (*low > 0 || s.ExclusiveMinimum && *low == 0)) &&
			!(high != nil && (*high < 0 || s.ExclusiveMaximum && *high == 0))
	}
	return true
}
