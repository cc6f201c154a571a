package crdgen

import (
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// ChecksFormat reports whether the API server checks a format of strings. It ignores unknown ones.
func ChecksFormat(format string) bool {
	_, checked := formatValues[format]
	return checked
}

// formatValues has a value for each format that the API server checks.
var formatValues = map[string]string{
	"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "datetime": "2026-01-01T00:00:00Z",
	"duration": "1h", "byte": "ZXhhbXBsZQ==", "password": "example", "email": "user@example.com",
	"hostname": "example.com", "uri": "https://example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"cidr": "192.0.2.0/24", "mac": "00:00:5e:00:53:01", "uuid": "00000000-0000-4000-8000-000000000000",
	"uuid3": "00000000-0000-3000-8000-000000000000", "uuid4": "00000000-0000-4000-8000-000000000000",
	"uuid5": "00000000-0000-5000-8000-000000000000", "hexcolor": "#336699", "rgbcolor": "rgb(51,102,153)",
	"k8s-short-name": "example", "k8s-long-name": "example.com",
}

// numberFor returns a small number within the limits of a schema.
func numberFor(schema apiextv1.JSONSchemaProps) float64 {
	step := 1.0
	if schema.MultipleOf != nil {
		step = *schema.MultipleOf
	}
	value := step
	if low := schema.Minimum; low != nil && (value < *low || schema.ExclusiveMinimum && value == *low) {
		value = math.Ceil(*low/step) * step
		if schema.ExclusiveMinimum && value == *low {
			value += step
		}
	}
	if high := schema.Maximum; high != nil && (value > *high || schema.ExclusiveMaximum && value == *high) {
		value = math.Floor(*high/step) * step
		if schema.ExclusiveMaximum && value == *high {
			value -= step
		}
	}
	return value
}

// stringFor returns a string with the format, the pattern and the length of a schema. It returns
// the likeliest candidate if none matches.
func stringFor(name string, schema apiextv1.JSONSchemaProps) string {
	candidates := []string{"example", name, strings.ToLower(name), "Example", "1", "1.0.0", "example.com"}
	if value, found := formatValues[schema.Format]; found {
		candidates = append([]string{value, "2026-01-01T00:00:00.000000Z"}, candidates...)
	}
	if value := valueNamed(name); value != "" {
		candidates = append([]string{value}, candidates...)
	}
	candidates = append(candidates, matchesOf(schema.Pattern)...)
	pattern, err := regexp.Compile(schema.Pattern)
	if err != nil {
		return candidates[0]
	}
	for _, candidate := range candidates {
		if fitsLimits(candidate, schema) && pattern.MatchString(candidate) {
			return candidate
		}
		if stretched := fitLength(candidate, schema); fitsLimits(stretched, schema) && pattern.MatchString(stretched) {
			return stretched
		}
	}
	return candidates[0]
}

func fitsLimits(s string, schema apiextv1.JSONSchemaProps) bool {
	n := int64(utf8.RuneCountInString(s))
	least, most := spec.SizeLimits(&schema)
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

// fitLength returns a string of an allowed length: it cuts the end off, or repeats the last letter.
func fitLength(s string, schema apiextv1.JSONSchemaProps) string {
	least, most := spec.SizeLimits(&schema)
	if most != nil && int64(len(s)) > *most {
		return s[:*most]
	}
	const longest = 1 << 12 // nobody can read longer samples
	if least != nil && int64(len(s)) < *least && *least < longest && s != "" {
		return s + strings.Repeat(s[len(s)-1:], int(*least)-len(s))
	}
	return s
}

// matchesOf returns strings that a regular expression may match, the first with no repetitions, the
// others with more and more: for ^a*b$ b, ab, aab and so on.
func matchesOf(pattern string) []string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if pattern == "" || err != nil {
		return nil
	}
	var out []string
	for _, times := range []int{0, 1, 2, 4, 8, 16, 32, 64} {
		var b strings.Builder
		writeMatch(&b, parsed.Simplify(), times)
		out = append(out, b.String())
	}
	return out
}

// writeMatch writes one string that the expression matches, with the given number of repetitions
// where it allows them.
func writeMatch(b *strings.Builder, re *syntax.Regexp, times int) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pickCharacter(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			writeMatch(b, sub, times)
		}
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0], times)
	case syntax.OpStar:
		writeRepeated(b, re.Sub[0], times)
	case syntax.OpPlus:
		writeRepeated(b, re.Sub[0], max(1, times))
	case syntax.OpQuest:
		writeRepeated(b, re.Sub[0], min(1, times))
	}
}

func writeRepeated(b *strings.Builder, re *syntax.Regexp, times int) {
	for range times {
		writeMatch(b, re, min(times, 1))
	}
}

// pickCharacter picks a character of a class, given as pairs of bounds: a letter or a digit when
// there is one.
func pickCharacter(class []rune) rune {
	for _, want := range "ax1A" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	if len(class) == 0 {
		return 'x'
	}
	return class[0]
}
