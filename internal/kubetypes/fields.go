package kubetypes

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// byFields maps the names of fields, sorted and joined, to the structs that have just these, sorted.
var byFields = sync.OnceValue(func() map[string][]string {
	index := map[string][]string{}
	for _, name := range TypeNames() {
		var t Type
		read(entries()[name], &t)
		if len(t.Schema.Properties) > 0 {
			key := fieldsKey(slices.Sorted(maps.Keys(t.Schema.Properties)))
			index[key] = append(index[key], name)
		}
	}
	return index
})

// TypesWithFields returns the names of the types whose schemas have just these fields, sorted.
func TypesWithFields(fields []string) []string {
	return byFields()[fieldsKey(slices.Sorted(slices.Values(fields)))]
}

func fieldsKey(sorted []string) string { return strings.Join(sorted, "\n") }
