package gotypes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// Values that Go types often cannot hold, although a schema accepts them. Durations of more than 292
// years are not among them: no pattern rejects them.
var (
	hardIntegers = []int64{
		0, 1, -1, 7, 8, 127, 128, -128, -129, 255, 256, 300, 32767, 32768, -32769, 65535, 65536, 70000,
		math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64,
	}
	hardNumbers = []float64{0, 0.5, -1.25, 1e30, 3.4028234663852886e38, 3.5e38, -1e39, 1e300, 1e-50}
	hardTexts   = []string{
		"", "a", "b", "A", "x", "ünï", "soon", "1 day", "30s", "1h2m", "-1.5h", "2026-01-02T03:04:05Z", "2026-01-02t03:04:05z",
		"2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05+01:00", "1e1.5", "1Ki", "100m", "1.5", "1e3", "YWJj", "!!", "null", "80", "50%", "true",
	}
)

// drawValue draws a value of a schema. It may break limits of the schema: the API server's code
// decides.
func drawValue(r *rand.Rand, s *apiextv1.JSONSchemaProps, depth int) any {
	if len(s.Enum) > 0 && r.IntN(3) > 0 {
		var value any
		if err := json.Unmarshal(s.Enum[r.IntN(len(s.Enum))].Raw, &value); err == nil {
			return value
		}
	}
	switch {
	case s.Nullable && r.IntN(4) == 0:
		return nil
	case s.XIntOrString && r.IntN(2) == 0:
		return drawInteger(r, s)
	case s.XIntOrString, s.Type == "string":
		return hardTexts[r.IntN(len(hardTexts))]
	case s.Type == "boolean":
		return r.IntN(2) == 0
	case s.Type == "integer":
		return drawInteger(r, s)
	case s.Type == "number":
		return hardNumbers[r.IntN(len(hardNumbers))]
	case s.Type == "array" && s.Items != nil:
		items := []any{}
		for range r.IntN(3) {
			items = append(items, drawValue(r, s.Items.Schema, depth+1))
		}
		return items
	case s.Type == "object" && s.AdditionalProperties != nil:
		object := map[string]any{}
		for i := range r.IntN(3) {
			object[fmt.Sprintf("key-%d", i)] = drawValue(r, s.AdditionalProperties.Schema, depth+1)
		}
		return object
	case s.Type == "object" && len(s.Properties) > 0:
		return drawObject(r, s, depth)
	}
	if s.Type == "object" {
		return map[string]any{"any": "thing"}
	}
	return []any{map[string]any{"name": "x"}} // of anything, or of a type that contains itself
}

// drawObject draws an object with the fields that must be there, and one or two others.
func drawObject(r *rand.Rand, s *apiextv1.JSONSchemaProps, depth int) map[string]any {
	object, names := map[string]any{}, sortedKeys(s.Properties)
	for _, name := range names {
		if slices.Contains(s.Required, name) || r.IntN(len(names)) < 2 {
			property := s.Properties[name]
			object[name] = drawValue(r, &property, depth+1)
		}
	}
	return object
}

// drawInteger draws an integer, often at a limit of the schema or beside it.
func drawInteger(r *rand.Rand, s *apiextv1.JSONSchemaProps) any {
	for _, limit := range []*float64{s.Minimum, s.Maximum} {
		if limit != nil && r.IntN(3) == 0 {
			return int64(*limit) + int64(r.IntN(3)) - 1
		}
	}
	return hardIntegers[r.IntN(len(hardIntegers))]
}
