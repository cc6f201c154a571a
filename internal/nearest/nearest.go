// Package nearest finds the name that a misspelt one most likely means, for hints such as `did you
// mean "Deployment"?`.
package nearest

import (
	"slices"
	"strings"
)

// Name returns the known name that differs from name only in case or by a few edits, or that starts
// with it. It returns "" if there is none.
func Name(name string, known []string) string {
	if name == "" || len(name) > 64 {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, k := range known {
		distance := editDistance(strings.ToLower(name), strings.ToLower(k))
		if strings.HasPrefix(k, name) {
			distance = min(distance, 1)
		}
		if distance < least && distance < len(name) {
			best, least = k, distance
		}
	}
	return best
}

// editDistance returns how many characters to insert, remove, replace or swap with a neighbour to
// turn a into b.
func editDistance(a, b string) int {
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
