package apply

import (
	"math/bits"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// itemIndex finds items of one list as indexOfValue and indexOfKeys do, after reading the list once.
type itemIndex struct {
	values map[string]int            // by the JSON of the item
	keys   map[string]map[string]int // by the names of the keys, and by the values that the item has for them
	text   []byte
}

// ofValue returns the index of the first item that equals a JSON value, or -1.
func (x *itemIndex) ofValue(items []any, text string) int {
	var value any
	if utiljson.Unmarshal([]byte(text), &value) != nil {
		return -1
	}
	if x.values == nil {
		x.values = make(map[string]int, len(items))
		for i := len(items) - 1; i >= 0; i-- { // the first of equal ones stays
			_ = encodeJSON(items[i], func(text []byte) { x.values[string(text)] = i })
		}
	}
	found := -1
	_ = encodeJSON(value, func(text []byte) {
		if at, ok := x.values[string(text)]; ok {
			found = at
		}
	})
	return found
}

// maxIndexedKeys is the number of keys up to which all choices of them are looked up.
const maxIndexedKeys = 4

// ofKeys returns the index of the first item that matches the keys best, or -1. It looks up each
// choice of keys that an item may have while it leaves out the others.
func (x *itemIndex) ofKeys(items []any, keys []listKey) int {
	index := x.withKeys(items, keys)
	best, bestScore := -1, 0
	for choice := 1<<len(keys) - 1; choice > 0; choice-- {
		score := bits.OnesCount(uint(choice))
		if score < bestScore || !x.writeChoice(keys, choice) {
			continue
		}
		if at, ok := index[string(x.text)]; ok && (score > bestScore || at < best) {
			best, bestScore = at, score
		}
	}
	return best
}

// leftOut stands for the value of a key that an item does not have. No JSON is like it.
const leftOut = "-"

// writeChoice writes the values of an item that has those of the keys whose bits are set. It reports
// false if there can be no such item.
func (x *itemIndex) writeChoice(keys []listKey, choice int) bool {
	x.text = x.text[:0]
	for i, key := range keys {
		value := key.value
		if choice&(1<<i) == 0 {
			if value = leftOut; !key.mayBeLeftOut() {
				return false
			}
		}
		x.text = append(append(x.text, value...), '\n')
	}
	return true
}

// withKeys returns the index of a list by keys of these names.
func (x *itemIndex) withKeys(items []any, keys []listKey) map[string]int {
	x.text = x.text[:0]
	for _, key := range keys {
		x.text = append(append(x.text, key.name...), '\n')
	}
	if index, ok := x.keys[string(x.text)]; ok {
		return index
	}
	if x.keys == nil {
		x.keys = map[string]map[string]int{}
	}
	index := make(map[string]int, len(items))
	x.keys[string(x.text)] = index
	for i := len(items) - 1; i >= 0; i-- { // the first of equal ones stays
		x.text = x.text[:0]
		object, _ := items[i].(map[string]any)
		for _, key := range keys {
			value, ok := object[key.name]
			if !ok {
				x.text = append(x.text, leftOut...)
			} else {
				_ = encodeJSON(value, func(text []byte) { x.text = append(x.text, text...) })
			}
			x.text = append(x.text, '\n')
		}
		index[string(x.text)] = i
	}
	return index
}
