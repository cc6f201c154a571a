package arbitrary

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// scalarMaker makes numbers, texts and booleans.
type scalarMaker struct {
	chooser
	longestText int
}

// scalar makes a value of a simple type: each that is special in its turn, such as the values of an
// enum, the default and those at the limits.
func (m *scalarMaker) scalar(n *node, l limits) (any, bool) {
	if len(l.branches) > 0 || len(l.excluded) > 0 {
		return m.pick(n, m.choices(l))
	}
	if n.choices == nil {
		n.choices = m.choices(l)
	}
	return m.pick(n, n.choices)
}

func (m *scalarMaker) pick(n *node, choices []any) (any, bool) {
	if len(choices) == 0 {
		return nil, false
	}
	return choices[m.next(n, len(choices))], true
}

// choices returns the values to choose from.
func (m *scalarMaker) choices(l limits) []any {
	var all []any
	for _, raw := range l.Enum {
		all = append(all, decodeJSON(raw))
	}
	if len(l.Enum) == 0 {
		all = m.candidates(l)
	}
	var kept []any
	seen := map[string]bool{}
	for _, v := range all {
		excluded := slices.ContainsFunc(l.excluded, func(x any) bool { return isSameJSON(x, v) })
		if key := jsonText(v); !seen[key] && !excluded && v != nil && l.allow(v) {
			seen[key] = true
			kept = append(kept, v)
		}
	}
	return kept
}

func (m *scalarMaker) candidates(l limits) []any {
	var all []any
	if l.Default != nil {
		all = append(all, decodeJSON(*l.Default))
	}
	switch {
	case l.XIntOrString:
		if l.Type == "" || l.Type == "integer" {
			all = append(all, candidateIntegers(l, math.MinInt32, math.MaxInt32)...) // as IntOrString has it
		}
		if l.Type == "" || l.Type == "string" {
			all = append(all, m.texts(l)...)
		}
	case l.Type == "boolean":
		all = append(all, true, false)
	case l.Type == "integer" && slices.Contains(l.formats, "int32"):
		all = append(all, candidateIntegers(l, math.MinInt32, math.MaxInt32)...)
	case l.Type == "integer":
		all = append(all, candidateIntegers(l, math.MinInt64, math.MaxInt64)...)
	case l.Type == "number":
		all = append(all, candidateNumbers(l)...)
	case l.Type == "string":
		all = append(all, m.texts(l)...)
	}
	return all
}

// candidateIntegers returns the limits and what is next to them, zero, and a few others.
func candidateIntegers(l limits, low, high int64) []any {
	step := int64(1)
	if l.MultipleOf != nil && *l.MultipleOf >= 1 {
		step = int64(*l.MultipleOf)
	}
	values := []int64{0, step, -step, 7 * step, 443 * step, 1000000 * step, low, high}
	for _, limit := range []*float64{l.Minimum, l.Maximum} {
		if limit == nil || math.Abs(*limit) >= 1<<62 {
			continue
		}
		near := int64(math.Floor(*limit/float64(step))) * step
		values = append(values, near, near+step, near-step, near+3*step)
	}
	var all []any
	for _, v := range values {
		if v >= low && v <= high {
			all = append(all, v)
		}
	}
	return all
}

// candidateNumbers returns the limits and what is next to them, zero, and a few others, as precise
// as their format.
func candidateNumbers(l limits) []any {
	step := 0.25
	if l.MultipleOf != nil {
		step = *l.MultipleOf
	}
	values := []float64{0, step, -step, 6 * step, 1000 * step}
	if l.MultipleOf == nil {
		values = append(values, 3, 0.1, -1.5, 1e-7, 1e21)
	}
	for _, limit := range []*float64{l.Minimum, l.Maximum} {
		if limit != nil {
			values = append(values, *limit, *limit+step, *limit-step)
		}
	}
	var all []any
	for _, v := range values {
		if slices.Contains(l.formats, "float") {
			v, _ = strconv.ParseFloat(strconv.FormatFloat(float64(float32(v)), 'g', -1, 32), 64)
		}
		all = append(all, v)
	}
	return all
}

// allow reports whether a simple value is within the limits.
func (l *limits) allow(v any) bool {
	switch v := v.(type) {
	case int64:
		return l.allowNumber(float64(v))
	case float64:
		return l.allowNumber(v)
	case string:
		n := int64(utf8.RuneCountInString(v))
		return (l.MinLength == nil || n >= *l.MinLength) && (l.MaxLength == nil || n <= *l.MaxLength) && l.matches(v)
	}
	return true
}

func (l *limits) allowNumber(v float64) bool {
	if low := l.Minimum; low != nil && (v < *low || l.ExclusiveMinimum && v == *low) {
		return false
	}
	if high := l.Maximum; high != nil && (v > *high || l.ExclusiveMaximum && v == *high) {
		return false
	}
	return l.MultipleOf == nil || math.Abs(math.Remainder(v, *l.MultipleOf)) < 1e-9
}

// decodeJSON returns the value of JSON with the number types that the API server uses.
func decodeJSON(raw apiextv1.JSON) any {
	var v any
	if json.Unmarshal(raw.Raw, &v) != nil {
		return nil // the CRD has been checked: its defaults and enums are JSON
	}
	return withExactIntegers(v, raw.Raw)
}

// withExactIntegers makes integers of the numbers that are written as such.
func withExactIntegers(v any, raw []byte) any {
	switch v := v.(type) {
	case float64:
		if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return i
		}
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = withExactIntegers(v[i], nil)
		}
	case map[string]any:
		for key := range v {
			v[key] = withExactIntegers(v[key], nil)
		}
	}
	return v
}
