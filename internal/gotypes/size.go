package gotypes

import "go/types"

// maxFields is how many fields a schema can have at the most: each takes 20 bytes of JSON, and API
// servers take no more than 3 MiB.
const maxFields = 3 << 20 / 20

// tooLarge is what is said of a type with more fields than that, once the types of its fields are
// written out.
const tooLarge = " has too many fields once the types that it holds are written out: API servers take CRDs of at most 3 MiB"

// fieldCount counts the fields of a type with those of the types that it holds, as often as it
// holds them, up to maxFields+1. It counts without writing anything out: types that hold one
// another twice at each level have 2ⁿ fields after n levels.
func fieldCount(t types.Type) int {
	return fieldCounter{}.count(t)
}

// fieldCounter has the counts of named types; one that is being counted holds itself and counts for
// nothing.
type fieldCounter map[*types.Named]int

func (c fieldCounter) count(t types.Type) int {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return c.underlying(t)
	}
	known, found := c[named]
	if !found {
		c[named] = 0
		if methodOf(t, "MarshalJSON") == nil { // or else what it holds is not what it shows
			known = c.underlying(named)
		}
		c[named] = known
	}
	return known
}

func (c fieldCounter) underlying(t types.Type) int {
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
