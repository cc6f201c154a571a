package objectfields

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Number returns the number at a path: a number, a boolean as 1 or 0, a quantity, or a time in seconds
// since 1970. It reports false for a field that is not set or holds nothing of these. A field of a Go struct
// that its JSON leaves out is not set.
func Number(object any, path string) (float64, bool) {
	value, ok := writtenAt(object, path)
	if !ok {
		return 0, false
	}
	switch found := value.Interface().(type) {
	case metav1.Time:
		return secondsOf(found.Time)
	case metav1.MicroTime:
		return secondsOf(found.Time)
	case time.Time:
		return secondsOf(found)
	case resource.Quantity:
		return found.AsApproximateFloat64(), true
	case intstr.IntOrString:
		if found.Type == intstr.Int {
			return float64(found.IntVal), true
		}
		return parseNumber(found.StrVal)
	}
	switch {
	case value.Kind() == reflect.Bool:
		if value.Bool() {
			return 1, true
		}
		return 0, true
	case value.CanInt():
		return float64(value.Int()), true
	case value.CanUint():
		return float64(value.Uint()), true
	case value.CanFloat():
		return value.Float(), true
	case value.Kind() == reflect.String:
		return parseNumber(value.String())
	}
	return 0, false
}

// secondsOf returns the seconds from 1970 to a time. It reports false for the zero time.
func secondsOf(at time.Time) (float64, bool) {
	return float64(at.UnixMicro()) / 1e6, !at.IsZero()
}

// parseNumber returns the number that a text stands for: a time, or a quantity.
func parseNumber(text string) (float64, bool) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return secondsOf(at)
	}
	quantity, err := resource.ParseQuantity(text)
	return quantity.AsApproximateFloat64(), err == nil
}
