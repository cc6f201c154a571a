package spec

import (
	"slices"
	"strings"
)

// suggestion proposes the known name that was probably meant; with few names it lists them all.
func suggestion(name string, known []string) string {
	if best := closest(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if len(known) > 24 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// closest returns the known name that is name but for its case or a few edits, or that starts with it; empty when
// there is none.
func closest(name string, known []string) string {
	if name == "" || len(name) > 64 {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, k := range known {
		d := edits(strings.ToLower(name), strings.ToLower(k))
		if strings.HasPrefix(k, name) {
			d = min(d, 1)
		}
		if d < least && d < len(name) {
			best, least = k, d
		}
	}
	return best
}

// edits is the number of characters to insert, remove, replace or swap with a neighbour to make b of a.
func edits(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, slices.Clone(row)
	}
	return last[len(b)]
}

// Closest returns the known name that a misspelt one most likely means, empty when none is close.
func Closest(name string, known []string) string { return closest(name, known) }
