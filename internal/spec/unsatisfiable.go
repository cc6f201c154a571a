package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	apifield "k8s.io/apimachinery/pkg/util/validation/field"
)

// Unsatisfiable returns errors for keywords that the API server accepts, although no value is
// valid, or a value of an enum or a default is not. It checks schemas below allOf, anyOf, oneOf and
// not, but not those of fields, items and map values. The errors are of type Forbidden, so that
// their detail is the whole message. A file can accept them, see WarnUnsatisfiable.
func Unsatisfiable(s *props, path *apifield.Path) apifield.ErrorList {
	var w unsatisfiable
	w.checkSchema(s, path)
	return w.errs
}

type unsatisfiable struct{ errs apifield.ErrorList }

func (w *unsatisfiable) fail(path *apifield.Path, format string, args ...any) {
	w.errs = append(w.errs, apifield.Forbidden(path, fmt.Sprintf(format, args...)))
}

func (w *unsatisfiable) checkSchema(s *props, path *apifield.Path) {
	w.checkLimits(s, path)
	w.checkEnum(s, path.Child("enum"))
	w.checkDistinctDefault(s, path.Child("default"))
	if s.Not != nil {
		w.checkTree(s.Not, path.Child("not"))
	}
	for name, trees := range map[string][]props{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		for i := range trees {
			w.checkTree(&trees[i], path.Child(name).Index(i))
		}
	}
}

// checkTree checks a schema that only validates, and all schemas below it.
func (w *unsatisfiable) checkTree(s *props, path *apifield.Path) {
	w.checkSchema(s, path)
	for path, below := range SchemasBelow(s, path) {
		w.checkTree(below, path)
	}
}

// checkLimits adds errors for limits that no value is within.
func (w *unsatisfiable) checkLimits(s *props, path *apifield.Path) {
	for _, k := range KeywordsOf(Limit) {
		if k.Least == "" {
			continue
		}
		least := KeywordByName(k.Least)
		low, limitsLow := least.LimitText(s)
		high, limitsHigh := k.LimitText(s)
		if limitsLow && limitsHigh && isGreater(least.field.value(s), k.field.value(s)) {
			w.fail(path.Child(k.Name), "%s is less than %s, which is %s", high, least.Name, low)
		}
	}
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		w.fail(path.Child("multipleOf"), "%s is not above 0", formatNumber(*s.MultipleOf))
	}
	if s.Minimum != nil && s.Maximum != nil && *s.Minimum == *s.Maximum && (s.ExclusiveMinimum || s.ExclusiveMaximum) {
		w.fail(path.Child("maximum"), "no value is between minimum and maximum: both are %s, and at least one is exclusive", formatNumber(*s.Minimum))
	}
}

// isGreater reports whether a is greater than b. Both are counts, or both are numbers.
func isGreater(a, b any) bool {
	if a, isCount := a.(*int64); isCount {
		return *a > *b.(*int64)
	}
	return *a.(*float64) > *b.(*float64)
}

// checkEnum adds errors for values of an enum that are listed twice, or that are not of the type of
// the schema.
func (w *unsatisfiable) checkEnum(s *props, path *apifield.Path) {
	if s.Enum != nil && len(s.Enum) == 0 {
		w.fail(path, "has no value")
	}
	seen := map[string]int{}
	for i, value := range s.Enum {
		raw := compactJSON(value.Raw)
		if first, twice := seen[raw]; twice {
			w.fail(path.Index(i), "%s is listed twice, first as value %d", raw, first+1)
			continue
		}
		seen[raw] = i
		if !hasTypeOf(s, raw) {
			w.fail(path.Index(i), "%s is not of type %s", raw, s.Type)
		}
	}
}

// checkDistinctDefault adds an error for a default with equal items of a list whose items must be distinct.
func (w *unsatisfiable) checkDistinctDefault(s *props, path *apifield.Path) {
	if s.Default == nil || s.XListType == nil || *s.XListType == "atomic" {
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(s.Default.Raw, &items) != nil {
		return // which the API server says
	}
	seen := map[string]bool{}
	for i, item := range items {
		identity := compactJSON(item)
		if *s.XListType == "map" {
			identity = identityOf(item, s.XListMapKeys)
		}
		if seen[identity] {
			w.fail(path.Index(i), "%s is listed twice, but items of a list of type %s are unique", identity, *s.XListType)
		}
		seen[identity] = true
	}
}

// identityOf returns the values of the list keys of an item, which identify it.
func identityOf(item json.RawMessage, keys []string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(item, &object) != nil {
		return string(item)
	}
	identity := ""
	for i, key := range keys {
		if i > 0 {
			identity += ", "
		}
		identity += key + " " + compactJSON(object[key])
	}
	return identity
}

// hasTypeOf reports whether a value is of the type of a schema, or null if the schema is nullable.
// Every value is of no type.
func hasTypeOf(s *props, raw string) bool {
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

// compactJSON returns JSON without spaces, and null for absent JSON.
func compactJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil || out.Len() == 0 {
		return "null"
	}
	return out.String()
}
