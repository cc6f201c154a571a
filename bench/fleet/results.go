package main

import (
	"fmt"
	"maps"
	"slices"
)

// results are the figures of all rounds: by number of parents, contender and row.
type results map[int]map[string]map[string][]float64

func (r results) add(size int, contender string, result figures) {
	if r[size] == nil {
		r[size] = map[string]map[string][]float64{}
	}
	if r[size][contender] == nil {
		r[size][contender] = map[string][]float64{}
	}
	for row, value := range result {
		r[size][contender][row] = append(r[size][contender][row], value)
	}
}

// values are the medians of one number of parents.
type values struct {
	all  map[string]map[string][]float64
	last bool // it is the largest number
}

func (r results) of(size int) values {
	return values{r[size], size == slices.Max(slices.Collect(maps.Keys(r)))}
}

// get returns the median of a row for a contender, if it was measured.
func (v values) get(contender, row string) (float64, bool) {
	samples := v.all[contender][row]
	if len(samples) == 0 {
		return 0, false
	}
	return median(samples), true
}

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// ratio is how many times what a contender has is what another has.
func (v values) ratio(row, contender, other string) (float64, bool) {
	a, ok := v.get(contender, row)
	b, known := v.get(other, row)
	return a / b, ok && known && b != 0
}

// best returns the hand-written contender that has the most of a row.
func (v values) best(row string) string {
	best, most := careful, 0.0
	for _, c := range []string{careful, single, naive} {
		if value, ok := v.get(c, row); ok && value > most {
			best, most = c, value
		}
	}
	return best
}

// tally counts requests: by number of parents, contender, part of a trial, and what they were.
type tally map[int]map[string]map[string]map[string]int

func (t tally) add(size int, contender, part, what string) {
	if t[size] == nil {
		t[size] = map[string]map[string]map[string]int{}
	}
	if t[size][contender] == nil {
		t[size][contender] = map[string]map[string]int{}
	}
	if t[size][contender][part] == nil {
		t[size][contender][part] = map[string]int{}
	}
	t[size][contender][part][what]++
}

// format writes a figure with as many digits as mean something.
func format(value float64, digits int) string { return fmt.Sprintf("%.*f", digits, value) }
