package kubetypes

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// outline is the name of a type with the number of its fields.
type outline struct {
	name   string
	fields int
}

// fieldIndex finds types by their fields. Import uses it to recognize a schema that was generated
// from a type of Kubernetes.
type fieldIndex struct {
	together map[string][]string  // the names of all fields, sorted and joined
	each     map[string][]outline // the name of one field, with the summary of its description and without
}

// byFields is the index of all structs, sorted by name.
var byFields = sync.OnceValue(func() fieldIndex {
	index := fieldIndex{map[string][]string{}, map[string][]outline{}}
	for _, name := range TypeNames() {
		var t Type
		readBundle(entryNamed(name), &t)
		if len(t.Schema.Properties) == 0 {
			continue
		}
		key := fieldsKey(slices.Sorted(maps.Keys(t.Schema.Properties)))
		index.together[key] = append(index.together[key], name)
		o := outline{name, len(t.Schema.Properties)}
		for field, schema := range t.Schema.Properties {
			for _, key := range slices.Compact([]string{fieldKey(field, ""), fieldKey(field, schema.Description)}) {
				index.each[key] = append(index.each[key], o)
			}
		}
	}
	return index
})

// TypesWithFields returns the names of the types whose schemas have exactly these fields, sorted.
func TypesWithFields(fields []string) []string {
	return byFields().together[fieldsKey(slices.Sorted(slices.Values(fields)))]
}

func fieldsKey(sorted []string) string { return strings.Join(sorted, "\n") }
