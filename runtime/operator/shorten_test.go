package operator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Names of every length fit, stay as they are if they are short, and differ if they differ.
func TestShortenedNamesFitAndDiffer(t *testing.T) {
	for _, limit := range []int{10, 40, 52, 63, 253} {
		seen := map[string]string{}
		for length := 1; length <= 253; length++ {
			for _, last := range []string{"a", "b", "-x", ".y"} {
				name := strings.Repeat("ab-cd.", 43)[:length] + last
				got := Shorten(name, limit)
				if len(got) > limit || len(name) <= limit && got != name {
					t.Fatalf("%q becomes %q, with a limit of %d", name, got, limit)
				}
				if other, isTaken := seen[got]; isTaken && other != name {
					t.Fatalf("%q and %q become %q", name, other, got)
				}
				seen[got] = name
				if problems := validation.IsDNS1123Subdomain(got); len(name) > limit && len(problems) > 0 {
					t.Fatalf("%q becomes %q: %s", name, got, problems)
				}
				if problems := validation.IsValidLabelValue(got); limit <= 63 && len(problems) > 0 {
					t.Fatalf("%q becomes %q: %s", name, got, problems)
				}
			}
		}
	}
	if got := Shorten(strings.Repeat("a", 64), 63); got != strings.Repeat("a", 54)+"-"+"d96f0f85" {
		t.Errorf("the name of a child of before is now %s", got)
	}
}

// A run has a name that a Job may have, whatever its parent is called and however often it ticks.
func TestNamesOfRunsFit(t *testing.T) {
	for length := 1; length <= 253; length++ {
		prefix := strings.Repeat("x", length)
		for _, tick := range []time.Time{time.Unix(1_790_000_040, 0), time.Unix(1_790_000_041, 0), time.Unix(0, 0).AddDate(200, 0, 0)} {
			name := Schedule{Tick: metav1.NewTime(tick)}.Name(prefix)
			if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
				t.Fatalf("%d characters: %q: %s", length, name, problems)
			}
			before := fmt.Sprintf("%s-%d", prefix, map[bool]int64{true: tick.Unix() / 60, false: tick.Unix()}[tick.Unix()%60 == 0])
			if len(before) <= 63 && name != before {
				t.Fatalf("%q was %q", name, before)
			}
		}
	}
}
