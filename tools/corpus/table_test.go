package main

import (
	"strings"
	"testing"
)

// TestFewMayBeUnfound shows that up to three CRDs without valid objects are listed, and that one
// more falls short.
func TestFewMayBeUnfound(t *testing.T) {
	for unfound, want := range map[int]bool{0: true, 3: true, 4: false} {
		var results table
		for i := range 6 {
			c := result{name: "things.example.com", equal: true, vets: true, generated: true, sampled: true, whole: objectsOfEach}
			if i < unfound {
				c.whole, c.unfound = 0, "v1: 0 of 20 valid objects found: reason"
			}
			results.crds = append(results.crds, c)
		}
		var out strings.Builder
		results.print(&out)
		if got := results.isGood(); got != want {
			t.Errorf("%d unfound: good is %v\n%s", unfound, got, &out)
		}
		if got := strings.Count(out.String(), "things.example.com: v1: 0 of 20 valid objects found: reason\n"); got != unfound {
			t.Errorf("%d of %d are listed", got, unfound)
		}
	}
}
