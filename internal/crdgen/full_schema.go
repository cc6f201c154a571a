package crdgen

import (
	"reflect"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// FullSchema returns the keywords of a node together with those of the type that it names.
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

// Overlay lays the keywords of top over those of base, as controller-gen lays the markers of a
// field over the type of the field. The rules of top come before those of base. Every other keyword
// of top replaces the one of base, except for keywords that keep out values that no operator can
// decode.
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

// HasCrossFieldRules reports whether a schema restricts its fields together, or its value by more
// than limits. An absent field then differs from one with the zero value.
func HasCrossFieldRules(k *apiextv1.JSONSchemaProps) bool {
	return len(k.XValidations) > 0 || LimitsFields(k) ||
		slices.ContainsFunc(spec.KeywordsOf(spec.Combination), func(c *spec.Keyword) bool { return c.IsSet(k) })
}

// LimitsFields reports whether a schema limits how many fields an object has.
func LimitsFields(k *apiextv1.JSONSchemaProps) bool {
	return slices.ContainsFunc(spec.KeywordsOf(spec.Limit), func(limit *spec.Keyword) bool {
		return slices.Contains(limit.Types, "object") && limit.IsSet(k)
	})
}
