package kubetypes

import "github.com/opgen-dev/opgen/internal/nearest"

// SuggestType returns the name of the type that a misspelt name most likely means, or "" if none is
// similar.
func SuggestType(name string) string { return nearest.Name(name, TypeNames()) }

// SuggestKind returns the kind that a misspelt kind most likely means, or "" if none is similar.
func SuggestKind(kind string) string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Kind)
	}
	return nearest.Name(kind, names)
}
