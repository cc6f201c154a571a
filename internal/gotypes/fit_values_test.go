package gotypes_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// difference says how a value differs from what Go makes of it; "" if it does not, but for zero values
// that Go leaves out or adds, and for other spellings of quantities, durations and times.
func difference(before, after []byte) string {
	var a, b any
	if kjson.Unmarshal(before, &a) != nil || kjson.Unmarshal(after, &b) != nil {
		return "no JSON"
	}
	if !same(a, b) {
		return "the value comes back changed"
	}
	return ""
}

func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return isZero(a) && isZero(b)
		}
		for key := range y {
			if _, found := x[key]; !found && !isZero(y[key]) {
				return false
			}
		}
		for key := range x {
			if value, found := y[key]; !found && !isZero(x[key]) || found && !same(x[key], value) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return isZero(a) && isZero(b)
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		return ok && (x == y || sameText(x, y)) || isZero(a) && isZero(b) || !ok && sameScalar(a, b)
	}
	return reflect.DeepEqual(a, b) || isZero(a) && isZero(b) || sameScalar(a, b)
}

// sameScalar compares numbers as a float32 keeps them, and quantities that are written as numbers.
func sameScalar(a, b any) bool {
	x, isX := number(a)
	y, isY := number(b)
	if isX && isY {
		return x == y || math.Abs(x-y) <= math.Max(math.Abs(x)*1e-6, 1e-45)
	}
	text := func(v any) string { t, _ := json.Marshal(v); return strings.Trim(string(t), `"`) }
	return sameText(text(a), text(b))
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func sameText(a, b string) bool {
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	if x, err := time.Parse(time.RFC3339, a); err == nil {
		y, err := time.Parse(time.RFC3339, b)
		return err == nil && x.Truncate(time.Second).Equal(y.Truncate(time.Second)) // metav1.Time has whole seconds
	}
	x, err := resource.ParseQuantity(a)
	y, err2 := resource.ParseQuantity(b)
	return err == nil && err2 == nil && x.Cmp(y) == 0
}

func isZero(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case bool:
		return !x
	case string:
		return x == "" || x == "0" || x == "0s"
	case int64:
		return x == 0
	case float64:
		return math.Abs(x) < math.SmallestNonzeroFloat32
	case []any:
		return len(x) == 0
	case map[string]any:
		for _, below := range x {
			if !isZero(below) {
				return false
			}
		}
		return true
	}
	return false
}
