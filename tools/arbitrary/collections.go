package arbitrary

import (
	"fmt"
	"slices"
)

// candidateSizes returns how many items or keys there may be: both limits, none, one and a few, as
// far as they are allowed and not too many.
func candidateSizes(low, high *int64, budget int) []int {
	least, most := 0, max(3, budget)
	if low != nil {
		least = int(*low)
	}
	if high != nil {
		most = min(most, int(*high))
	}
	candidates := []int{least, least + 1, 0, 1, 2, 3}
	if high != nil && *high <= 16 {
		candidates = append(candidates, int(*high))
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	candidates = slices.DeleteFunc(candidates, func(n int) bool { return n < least || n > max(most, least) })
	return candidates
}

// list makes a list of different items, where the list is a set or a map.
func (m *Maker) list(n *node, l limits, budget int) (any, bool) {
	list := []any{}
	if n.items == nil {
		return list, true
	}
	choices := candidateSizes(l.MinItems, l.MaxItems, budget)
	if len(choices) == 0 {
		return nil, false
	}
	size := choices[m.next(n, len(choices))]
	if budget <= 0 {
		size = choices[0]
	}
	seen := map[string]bool{}
	for tries := 0; len(list) < size && tries < 10*size; tries++ {
		item, ok := m.value(n.items, l.items(), budget/(size+1))
		if !ok {
			break
		}
		if key, unique := itemIdentity(n, item); !unique || !seen[key] {
			seen[key] = true
			list = append(list, item)
		}
	}
	return list, len(list) >= choices[0]
}

// itemIdentity returns what no two items of a list may share.
func itemIdentity(n *node, item any) (key string, unique bool) {
	switch listType := n.schema.XListType; {
	case listType == nil:
		return "", false
	case *listType == "set":
		return jsonText(item), true
	case *listType == "map":
		fields, _ := item.(map[string]any)
		var values []any
		for _, name := range n.schema.XListMapKeys {
			value, set := fields[name]
			if key := n.items.fields[name]; !set && key != nil && key.schema.Default != nil {
				value = decodeJSON(*key.schema.Default)
			}
			values = append(values, value)
		}
		return jsonText(values), true
	}
	return "", false
}

// mapping makes a map.
func (m *Maker) mapping(n *node, l limits, budget int) (any, bool) {
	choices := candidateSizes(l.MinProperties, l.MaxProperties, budget)
	if len(choices) == 0 {
		return nil, false
	}
	size := choices[m.next(n, len(choices))]
	if budget <= 0 {
		size = choices[0]
	}
	out := map[string]any{}
	for _, name := range l.Required {
		if !m.put(n, l, out, name, 0) {
			return nil, false
		}
	}
	for tries := 0; len(out) < size && tries < 10*size; tries++ {
		if !m.put(n, l, out, m.key(tries), budget/(size+1)) {
			break
		}
	}
	return out, len(out) >= choices[0]
}

// put sets a key of a map.
func (m *Maker) put(n *node, l limits, out map[string]any, key string, budget int) bool {
	if n.values == nil {
		out[key] = m.open(2)
		return true
	}
	value, ok := m.value(n.values, l.values(), budget)
	if ok {
		out[key] = value
	}
	return ok
}

// key returns a key for a map: most often a simple one.
func (m *chooser) key(i int) string {
	odd := []string{"", "a.b/c", "Key", "ünïcödé", `a "b" \`, "1", "a b", "-"}
	if m.chance(5) {
		return odd[m.random.IntN(len(odd))]
	}
	return fmt.Sprintf("%s%d", []string{"key", "a", "example.com/k"}[m.random.IntN(3)], i)
}

// open makes a value where anything may be.
func (m *chooser) open(depth int) any {
	scalars := []any{"", m.words(), int64(0), int64(-1), int64(9007199254740993), 0.5, 1e21, true, false, "null"}
	if depth <= 0 || m.chance(2) {
		return scalars[m.random.IntN(len(scalars))]
	}
	if m.chance(2) {
		list := []any{}
		for range m.random.IntN(3) {
			list = append(list, m.below(depth))
		}
		return list
	}
	return m.openObject(depth)
}

// openObject makes an object where any object may be.
func (m *chooser) openObject(depth int) map[string]any {
	out := map[string]any{}
	for i := range m.random.IntN(3) {
		out[m.key(i)] = m.below(depth)
	}
	return out
}

// below makes a value inside of an open one: null is one, too.
func (m *chooser) below(depth int) any {
	if m.chance(8) {
		return nil
	}
	return m.open(depth - 1)
}
