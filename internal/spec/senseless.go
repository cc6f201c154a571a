package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	apifield "k8s.io/apimachinery/pkg/util/validation/field"
)

// Unsatisfiable returns what the API server accepts in the keywords of a schema although no value, or not that value, could
// ever be valid; also below allOf, anyOf, oneOf and not, but not in the schemas of fields, items and map values. A file
// is refused for it unless it accepts WarnSenseless. The errors are of type Forbidden: their detail says all.
func Unsatisfiable(s *props, path *apifield.Path) apifield.ErrorList {
	var w senseless
	w.schema(s, path)
	return w.errs
}

type senseless struct{ errs apifield.ErrorList }

func (w *senseless) fail(path *apifield.Path, format string, args ...any) {
	w.errs = append(w.errs, apifield.Forbidden(path, fmt.Sprintf(format, args...)))
}

func (w *senseless) schema(s *props, path *apifield.Path) {
	w.limits(s, path)
	w.enum(s, path.Child("enum"))
	w.distinctDefault(s, path.Child("default"))
	if s.Not != nil {
		w.tree(s.Not, path.Child("not"))
	}
	for name, trees := range map[string][]props{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		for i := range trees {
			w.tree(&trees[i], path.Child(name).Index(i))
		}
	}
}

// tree is schema for one that only validates, with all that is below it.
func (w *senseless) tree(s *props, path *apifield.Path) {
	w.schema(s, path)
	for name, p := range s.Properties {
		w.tree(&p, path.Child("properties").Key(name))
	}
	if s.Items != nil && s.Items.Schema != nil {
		w.tree(s.Items.Schema, path.Child("items"))
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		w.tree(s.AdditionalProperties.Schema, path.Child("additionalProperties"))
	}
}

// limits reports pairs of limits with nothing between them.
func (w *senseless) limits(s *props, path *apifield.Path) {
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
		w.fail(path.Child("multipleOf"), "%s is not above 0", shortest(*s.MultipleOf))
	}
	if s.Minimum == nil || s.Maximum == nil {
		return
	}
	switch low, high := *s.Minimum, *s.Maximum; {
	case low > high:
		w.fail(path.Child("maximum"), "%s is less than minimum, which is %s", shortest(high), shortest(low))
	case low == high && (s.ExclusiveMinimum || s.ExclusiveMaximum):
		w.fail(path.Child("maximum"), "nothing lies between minimum and maximum, which are both %s and not both included", shortest(low))
	}
}

func shortest(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// enum reports values that are there twice, or that are not of the type of the node.
func (w *senseless) enum(s *props, path *apifield.Path) {
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
func (w *senseless) distinctDefault(s *props, path *apifield.Path) {
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
func ofType(s *props, raw string) bool {
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
