package crdgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// senseless returns what the API server accepts in schemas although no object, or no object with that value, could
// ever be valid.
func senseless(crd *apiextv1.CustomResourceDefinition) field.ErrorList {
	var w senseWalk
	for i, v := range crd.Spec.Versions {
		w.schema(v.Schema.OpenAPIV3Schema, field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema"))
	}
	return w.errs
}

// senseWalk walks schemas and collects what is wrong with them. A field.Error of type Forbidden shows its detail
// and nothing else.
type senseWalk struct{ errs field.ErrorList }

func (w *senseWalk) fail(path *field.Path, format string, args ...any) {
	w.errs = append(w.errs, field.Forbidden(path, fmt.Sprintf(format, args...)))
}

func (w *senseWalk) schema(s *apiextv1.JSONSchemaProps, path *field.Path) {
	w.limits(s, path)
	w.enum(s, path.Child("enum"))
	w.distinctDefault(s, path.Child("default"))
	for name, p := range s.Properties {
		w.schema(&p, path.Child("properties").Key(name))
	}
	if s.Items != nil && s.Items.Schema != nil {
		w.schema(s.Items.Schema, path.Child("items"))
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		w.schema(s.AdditionalProperties.Schema, path.Child("additionalProperties"))
	}
	if s.Not != nil {
		w.schema(s.Not, path.Child("not"))
	}
	for name, trees := range map[string][]apiextv1.JSONSchemaProps{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		for i := range trees {
			w.schema(&trees[i], path.Child(name).Index(i))
		}
	}
}

// limits reports pairs of limits with nothing between them.
func (w *senseWalk) limits(s *apiextv1.JSONSchemaProps, path *field.Path) {
	for _, pair := range []struct {
		least, most string
		low, high   *int64
	}{
		{"minLength", "maxLength", s.MinLength, s.MaxLength},
		{"minItems", "maxItems", s.MinItems, s.MaxItems},
		{"minProperties", "maxProperties", s.MinProperties, s.MaxProperties},
	} {
		if pair.low != nil && pair.high != nil && *pair.low > *pair.high {
			w.fail(path.Child(pair.most), "%d is less than %s, which is %d", *pair.high, pair.least, *pair.low)
		}
	}
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		w.fail(path.Child("multipleOf"), "%s is not above 0", decimal(*s.MultipleOf))
	}
	if s.Minimum == nil || s.Maximum == nil {
		return
	}
	switch low, high := *s.Minimum, *s.Maximum; {
	case low > high:
		w.fail(path.Child("maximum"), "%s is less than minimum, which is %s", decimal(high), decimal(low))
	case low == high && (s.ExclusiveMinimum || s.ExclusiveMaximum):
		w.fail(path.Child("maximum"), "nothing lies between minimum and maximum, which are both %s and not both included", decimal(low))
	}
}

func decimal(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// enum reports values that are there twice, or that are not of the type of the node.
func (w *senseWalk) enum(s *apiextv1.JSONSchemaProps, path *field.Path) {
	if s.Enum != nil && len(s.Enum) == 0 {
		w.fail(path, "has no value")
	}
	seen := map[string]int{}
	for i, value := range s.Enum {
		raw := compact(value.Raw)
		if first, twice := seen[raw]; twice {
			w.fail(path.Index(i), "%s is listed twice, first as value %d", raw, first+1)
			continue
		}
		seen[raw] = i
		if !ofType(s, raw) {
			w.fail(path.Index(i), "%s is not of type %s", raw, s.Type)
		}
	}
}

// distinctDefault reports a default that a list of distinct items cannot have.
func (w *senseWalk) distinctDefault(s *apiextv1.JSONSchemaProps, path *field.Path) {
	if s.Default == nil || s.XListType == nil || *s.XListType == "atomic" {
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(s.Default.Raw, &items) != nil {
		return // which the API server says
	}
	seen := map[string]bool{}
	for i, item := range items {
		identity := compact(item)
		if *s.XListType == "map" {
			identity = keysOf(item, s.XListMapKeys)
		}
		if seen[identity] {
			w.fail(path.Index(i), "%s is there twice, and a list of type %s has each once", identity, *s.XListType)
		}
		seen[identity] = true
	}
}

// keysOf returns the part of an item that tells it from others.
func keysOf(item json.RawMessage, keys []string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(item, &object) != nil {
		return string(item)
	}
	identity := ""
	for i, key := range keys {
		if i > 0 {
			identity += ", "
		}
		identity += key + " " + compact(object[key])
	}
	return identity
}

// ofType tells whether a value is of the type of a node, or null where that is allowed. Every value is of no type.
func ofType(s *apiextv1.JSONSchemaProps, raw string) bool {
	if raw == "null" {
		return s.Nullable || s.Type == ""
	}
	switch s.Type {
	case "string":
		return raw[0] == '"'
	case "boolean":
		return raw == "true" || raw == "false"
	case "object":
		return raw[0] == '{'
	case "array":
		return raw[0] == '['
	case "integer", "number":
		value, err := strconv.ParseFloat(raw, 64)
		return err == nil && (s.Type == "number" || value == float64(int64(value)))
	}
	return true
}

// compact returns JSON without spaces; what is absent is null.
func compact(raw []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil || out.Len() == 0 {
		return "null"
	}
	return out.String()
}
