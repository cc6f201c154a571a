package apply

import (
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// valueParts finds the parts of a value that steps of paths lead to. Following all steps of a set
// costs as much as reading the value once, also where it is a long list.
type valueParts struct {
	value any
	index itemIndex // of a long list
}

// partsOf returns the parts of a value.
func partsOf(value any) valueParts { return valueParts{value: value} }

// follow returns the part that a step leads to.
func (p *valueParts) follow(step string) (any, bool) {
	if name, isField := strings.CutPrefix(step, "f:"); isField {
		object, _ := p.value.(map[string]any)
		field, ok := object[name]
		return field, ok
	}
	at := p.indexOf(step)
	if at < 0 {
		return nil, false
	}
	return p.value.([]any)[at], true
}

// longList is the length from which on items are looked up in an index, which is faster then.
const longList = 16

// indexOf returns the index of the item of a list that a "k:" or "v:" step selects, or -1. An item
// that leaves out a key matches if no other item matches better, because the API server defaults
// some keys, such as the protocol of a port. Of items that match equally well it is the first.
func (p *valueParts) indexOf(step string) int {
	items, _ := p.value.([]any)
	kind, text, _ := strings.Cut(step, ":")
	switch {
	case kind == "v" && len(items) < longList:
		return indexOfValue(items, text)
	case kind == "v":
		return p.index.ofValue(items, text)
	}
	keys, ok := parseListKeys(text)
	if !ok {
		return -1
	}
	if len(items) < longList || len(keys) > maxIndexedKeys {
		return indexOfKeys(items, keys)
	}
	return p.index.ofKeys(items, keys)
}

// indexOfValue returns the index of the first item that equals a JSON value, or -1.
func indexOfValue(items []any, text string) int {
	var value any
	if utiljson.Unmarshal([]byte(text), &value) != nil {
		return -1
	}
	return slices.IndexFunc(items, func(item any) bool { return equalValues(item, value) })
}

// indexOfKeys returns the index of the first item that matches the keys best, or -1.
func indexOfKeys(items []any, keys []listKey) int {
	best, bestScore := -1, 0
	for i, item := range items {
		if score := countMatchingKeys(item, keys); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// countMatchingKeys returns how many of the keys an item has. It is zero if one of them differs.
func countMatchingKeys(item any, keys []listKey) (n int) {
	object, _ := item.(map[string]any)
	for _, key := range keys {
		value, ok := object[key.name]
		if ok && !key.matches(value) || !ok && !key.mayBeLeftOut() {
			return 0
		}
		if ok {
			n++
		}
	}
	return n
}
