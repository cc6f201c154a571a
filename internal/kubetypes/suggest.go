package kubetypes

// SuggestType returns the name of the type that a misspelt name most likely means, empty when none is close.
func SuggestType(name string) string { return closest(name, TypeNames()) }

// SuggestKind returns the kind that a misspelt kind most likely means, empty when none is close.
func SuggestKind(kind string) string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Kind)
	}
	return closest(kind, names)
}

// closest returns the candidate with the fewest edits, if it takes no more than a third of the letters.
func closest(name string, candidates []string) string {
	best, fewest := "", len(name)/3+1
	for _, candidate := range candidates {
		if n := edits(name, candidate); n < fewest {
			best, fewest = candidate, n
		}
	}
	return best
}

// edits counts the letters to insert, remove or replace to get from a to b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
