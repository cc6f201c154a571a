package gotypes

import "go/types"

// maxFields is the largest number of fields in a schema. Each field takes at least 20 bytes of
// JSON, and API servers accept no more than 3 MiB.
const maxFields = 3 << 20 / 20

// tooLarge is the message about a type that has more fields with the types of its fields expanded.
const tooLarge = " has too many fields once the types that it holds are written out: API servers take CRDs of at most 3 MiB"

// fieldCount returns the number of fields of a type with all types of its fields expanded, at most
// maxFields+1. It expands nothing, because the result can be exponential: if each of n types has
// two fields of the next, there are 2ⁿ fields.
func fieldCount(t types.Type) int {
	return fieldCounter{}.count(t)
}

// fieldCounter has the counts of named types. The count of a type is 0 while it is computed, so
// that recursion ends.
type fieldCounter map[*types.Named]int

func (c fieldCounter) count(t types.Type) int {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return c.countUnderlying(t)
	}
	known, found := c[named]
	if !found {
		c[named] = 0
		if methodOf(t, "MarshalJSON") == nil { // otherwise its JSON does not depend on its fields
			known = c.countUnderlying(named)
		}
		c[named] = known
	}
	return known
}

func (c fieldCounter) countUnderlying(t types.Type) int {
	switch under := t.Underlying().(type) {
	case *types.Pointer:
		return c.count(under.Elem())
	case *types.Slice:
		return c.count(under.Elem())
	case *types.Map:
		return c.count(under.Elem())
	case *types.Struct:
		total := 0
		for i := range under.NumFields() {
			if isShownInJSON(under.Tag(i)) {
				total = min(total+1+c.count(under.Field(i).Type()), maxFields+1)
			}
		}
		return total
	}
	return 0
}
