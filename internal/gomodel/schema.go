package gomodel

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// intOrString is the JSON type of a schema that allows both.
const intOrString = "integer or string"

// JSONType returns the JSON type of a node, and "" if it can be any.
func JSONType(s *spec.Schema) string {
	if s.Keywords.XIntOrString {
		return intOrString
	}
	if s.Use != nil {
		return JSONType(s.Use.Schema)
	}
	t, found := crdgen.TypeOf(s)
	switch {
	case !found:
		return s.Keywords.Type
	case t.Schema.XIntOrString:
		return intOrString
	default:
		return t.Schema.Type
	}
}

// goTypeName returns the name of the Go type of a node, and "" if the type is declared for this
// node.
func goTypeName(s *spec.Schema) string {
	switch {
	case s.Use != nil:
		return s.Use.Name
	case s.Type != "":
		return s.Type
	case s.Keywords.XIntOrString:
		return spec.TypeIntOrString
	case s.Keywords.Type == "string" && s.Keywords.Format == "date-time":
		return spec.TypeTime
	case s.Keywords.Type == "object" && !IsStruct(s) && s.AdditionalProperties == nil && s.AdditionalPropertiesAllowed == nil:
		return typeRawExtension
	}
	return ""
}

// LimitsUnknown reports whether a struct limits how many fields an object has, and keeps fields
// that the schema does not name. Such a struct has JSON methods, so that controller-gen sees a
// schema without a type, for which it refuses these limits.
func LimitsUnknown(s *spec.Schema) bool {
	return IsStruct(s) && keepsUnknownFields(s) && crdgen.LimitsFields(&s.Keywords)
}

// MisplacedLimits returns the limits that do not fit a JSON type. A schema may have them, and they
// then restrict only some of its values or none, but controller-gen refuses their markers.
func MisplacedLimits(jsonType string, k *apiextv1.JSONSchemaProps) []string {
	var found []string
	for _, limit := range spec.KeywordsOf(spec.Limit) {
		if limit.IsSet(k) && !fitsType(limit, jsonType) {
			found = append(found, limit.Name)
		}
	}
	return found
}

// fitsType reports whether a limit restricts values of a JSON type. To controller-gen, a schema for
// integers or strings is one for strings.
func fitsType(limit *spec.Keyword, jsonType string) bool {
	return slices.Contains(limit.Types, jsonType) || jsonType == intOrString && slices.Contains(limit.Types, "string")
}
