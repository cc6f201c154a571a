package kubetypes

import (
	"slices"
	"strings"
)

// fieldKey identifies a field with the first sentence of its description.
func fieldKey(field, description string) string {
	sentence, _, _ := strings.Cut(strings.Join(strings.Fields(description), " "), ". ")
	return field + "\n" + strings.ToLower(strings.TrimSuffix(sentence, "."))
}

// SimilarTypes returns the names of the types that an object is most like, sorted. It returns none if no
// type has half of the fields in common. The object may be an older release of the type, or have a
// few fields more or less.
//
// The fields map names to descriptions, of which only the first sentences count: later ones change
// between releases. A field without a description is like every field of its name.
func SimilarTypes(fields map[string]string) []string {
	shared := map[outline]int{}
	for field, description := range fields {
		for _, o := range byFields().each[fieldKey(field, description)] {
			shared[o]++
		}
	}
	var names []string
	most := 0.5
	for o, count := range shared {
		likeness := float64(count) / float64(len(fields)+o.fields-count)
		if likeness > most {
			names, most = nil, likeness
		}
		if likeness == most {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}
