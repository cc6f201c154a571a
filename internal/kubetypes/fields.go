package kubetypes

import (
	"hash/maphash"
	"sync"
)

// Tree is a schema as JSON has it, to compare other schemas with. Where it is the whole schema of another type, but
// for its own description and default, it has the key $ref with the name of that type: see TreeOf.
type Tree map[string]any

// Candidate is a type that a schema may be that of.
type Candidate struct {
	Name   string
	Schema Tree
}

// trees has the schemas of all structs.
type trees struct {
	byName   map[string]Tree
	byFields map[uint64][]Candidate // by the names of the fields, see fieldsKey
	seed     maphash.Seed
}

// allTrees reads the whole archive, once.
var allTrees = sync.OnceValue(func() trees {
	all := trees{byName: map[string]Tree{}, byFields: map[uint64][]Candidate{}, seed: maphash.MakeSeed()}
	for _, name := range TypeNames() {
		var t struct {
			Schema Tree `json:"schema"`
		}
		read(entries()[name].File, &t)
		properties, _ := t.Schema["properties"].(map[string]any)
		if len(properties) == 0 {
			continue
		}
		all.byName[name] = t.Schema
		var key uint64
		for field := range properties {
			key += maphash.String(all.seed, field)
		}
		all.byFields[key] = append(all.byFields[key], Candidate{name, t.Schema})
	}
	return all
})

// Candidates returns the structs that have just these fields, sorted by name. The caller must not change them.
func Candidates(fields []string) []Candidate {
	all := allTrees()
	var key uint64 // whatever the order
	for _, field := range fields {
		key += maphash.String(all.seed, field)
	}
	return all.byFields[key]
}

// TreeOf returns the schema that a $ref of a Tree stands for. The caller must not change it.
func TreeOf(ref string) Tree { return allTrees().byName[ref] }
