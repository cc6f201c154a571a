package spec

import (
	"regexp"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestPatternsAreExact holds patterns against the functions that read the values, over all short
// texts of pieces that mean something to them.
func TestPatternsAreExact(t *testing.T) {
	number := regexp.MustCompile(`^[+-]?\.?[0-9]`)
	for _, tc := range []struct {
		what, pattern string
		pieces        []string
		reads         func(text string) bool
	}{
		{
			"durations", DurationPattern,
			[]string{"+", "-", "0", "12", ".", "h", "m", "s", "ms", "us", "µs", "μs", "ns", "d", " ", "S", "\n", "e", "٣"},
			func(text string) bool { _, err := time.ParseDuration(text); return err == nil },
		},
		{
			"quantities", QuantityPattern,
			[]string{"+", "-", "0", "1", ".", "K", "k", "i", "m", "u", "n", "M", "G", "T", "P", "E", "e", " ", "\n", "٣"},
			// It takes a text that begins with no number for zero.
			func(text string) bool {
				_, err := resource.ParseQuantity(text)
				return err == nil && number.MatchString(text)
			},
		},
	} {
		pattern, read, texts := regexp.MustCompile(tc.pattern), 0, []string{""}
		for length := 0; length <= 4; length++ {
			var longer []string
			for _, text := range texts {
				reads := tc.reads(text)
				if reads {
					read++
				}
				if reads != pattern.MatchString(text) {
					t.Errorf("%s: %q is read: %v, matches: %v", tc.what, text, reads, !reads)
				}
				for _, piece := range tc.pieces {
					longer = append(longer, text+piece)
				}
			}
			texts = longer
		}
		if read < 100 {
			t.Errorf("%s: only %d texts are read", tc.what, read)
		}
	}
}
