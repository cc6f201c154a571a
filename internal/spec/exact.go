package spec

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Kubernetes holds a number as an integer of 64 bits or as a floating point number of 64 bits. The
// limits minimum, maximum and multipleOf are always the latter.

// NearestFloat returns the floating point number that Kubernetes stores for a decimal number, and
// whether both are equal. They are if the shortest text for the stored number has the same digits:
// 0.1 is stored as 0.1, 9007199254740993 as 9007199254740992.
func NearestFloat(text string) (nearest string, same bool) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", false
	}
	if nearest = strconv.FormatFloat(value, 'f', -1, 64); !isInteger(nearest) {
		nearest = strconv.FormatFloat(value, 'g', -1, 64)
	}
	digits, exponent := significantDigits(text)
	nearestDigits, nearestExponent := significantDigits(nearest)
	return nearest, digits == nearestDigits && exponent == nearestExponent
}

// significantDigits returns the digits of a decimal number without leading and trailing zeros, and
// the exponent if a point precedes them: 120.0 is 0.12e3, so it returns 12 and 3.
func significantDigits(text string) (digits string, exponent int) {
	text = strings.TrimLeft(text, "+-")
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", 0
	}
	exponent, _ = strconv.Atoi(power) // at its limit where it is beyond
	exponent += len(whole) - (len(whole+fraction) - len(digits))
	return strings.TrimRight(digits, "0"), exponent
}

// isExact reports whether Kubernetes stores a number of JSON without rounding it.
func isExact(raw string) bool {
	if isInteger(raw) {
		return true
	}
	_, same := NearestFloat(raw)
	return same
}

// isInteger reports whether Kubernetes stores a number as an integer.
func isInteger(raw string) bool {
	_, err := strconv.ParseInt(raw, 10, 64)
	return err == nil
}

// checkExactFloats adds a problem for each integer in the default and the enum of a number schema
// that its Go type, float64, would round.
func (d *decoder) checkExactFloats(s *Schema, path string) {
	if s.Keywords.Type != "number" {
		return
	}
	check := func(keyword string, value apiextv1.JSON) {
		raw := string(value.Raw)
		if _, same := NearestFloat(raw); !same && isInteger(raw) { // anything else was reported when it was read
			message, hint := describeInexact(raw)
			d.failAt(s.At[keyword], path+"."+keyword, message, hint)
		}
	}
	if s.Keywords.Default != nil {
		check("default", *s.Keywords.Default)
	}
	for i, value := range s.Keywords.Enum {
		check(indexPath("enum", i), value)
	}
}

// firstInexact returns the first number in JSON that Kubernetes would round, or "".
func firstInexact(raw []byte) string {
	decode := json.NewDecoder(bytes.NewReader(raw))
	decode.UseNumber()
	for {
		token, err := decode.Token()
		if err != nil {
			return ""
		}
		if n, isNumber := token.(json.Number); isNumber && !isExact(n.String()) {
			return n.String()
		}
	}
}

// describeInexact returns the message and the hint for a number that Kubernetes would round.
func describeInexact(text string) (message, hint string) {
	nearest, _ := NearestFloat(text)
	if nearest == "" {
		return text + " is not a JSON number", "write decimal digits that fit 64 bits"
	}
	return text + " cannot be stored exactly in 64 bits", "the nearest number that can is " + nearest
}
