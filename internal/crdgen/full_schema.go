package crdgen

import (
	"reflect"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// FullSchema returns the keywords of a node together with those of the type that it refers to. It
// returns nothing that is below them, such as properties of a node's fields.
func FullSchema(s *spec.Schema) apiextv1.JSONSchemaProps {
	if s.Use != nil {
		return Overlay(FullSchema(s.Use.Schema), s.Keywords)
	}
	t, found := TypeOf(s)
	if !found {
		return s.Keywords
	}
	return Overlay(t.Schema, s.Keywords)
}

// Overlay returns base with the keywords of top, as controller-gen applies the markers of a field
// to the schema of its type:
//
//	base {type: string, maxLength: 9}   top {maxLength: 5, description: a}   → {type: string, maxLength: 5, description: a}
//
// The CEL rules of both remain, those of top first. Keywords of base remain that reject values
// which Go cannot decode, such as the pattern of a duration, see spec.KeepReadable.
func Overlay(base, top apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	rules := slices.Concat(top.XValidations, base.XValidations)
	spec.KeepReadable(&top, &base)
	from, into := reflect.ValueOf(top), reflect.ValueOf(&base).Elem()
	for i := range from.NumField() {
		if field := from.Field(i); !field.IsZero() {
			into.Field(i).Set(field)
		}
	}
	base.XValidations = rules
	return base
}

// HasCrossFieldRules reports whether a schema restricts its fields together, by CEL rules, allOf
// and the like, or a limit of their number. To such a schema, an absent field differs from a field
// with the zero value.
func HasCrossFieldRules(k *apiextv1.JSONSchemaProps) bool {
	return len(k.XValidations) > 0 || LimitsFields(k) ||
		slices.ContainsFunc(spec.KeywordsOf(spec.Combination), func(c *spec.Keyword) bool { return c.IsSet(k) })
}

// LimitsFields reports whether a schema limits the number of an object's fields.
func LimitsFields(k *apiextv1.JSONSchemaProps) bool {
	return slices.ContainsFunc(spec.KeywordsOf(spec.Limit), func(limit *spec.Keyword) bool {
		return slices.Contains(limit.Types, "object") && limit.IsSet(k)
	})
}
