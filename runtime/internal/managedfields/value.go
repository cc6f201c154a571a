package managedfields

import (
	"math/bits"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Value is what an object has at a path.
type Value struct {
	Value  any
	Exists bool
	Index  int // of an item in its list

	items *itemIndex // of a list, made on first use
}

// Follow returns the value of a field or of an item.
func (v *Value) Follow(element fieldpath.PathElement) Value {
	if element.FieldName != nil {
		object, _ := v.Value.(map[string]any)
		field, ok := object[*element.FieldName]
		return Value{Value: field, Exists: ok}
	}
	items, _ := v.Value.([]any)
	if len(items) == 0 || element.Key == nil && element.Value == nil {
		return Value{}
	}
	if v.items == nil || !v.items.isFor(element) {
		v.items = newItemIndex(items, element)
	}
	at := v.items.find(element)
	if at < 0 {
		return Value{}
	}
	return Value{Value: items[at], Exists: true, Index: at}
}

// itemIndex finds the items of one list by their keys, or by their values.
type itemIndex struct {
	keys      value.FieldList // with the names of the keys; empty: items are found by their values
	positions map[string]int  // of the first item with these keys
	absent    []uint          // which keys items leave out, as bits: each choice of them that occurs
	text      []byte
}

// newItemIndex returns the index of a list in which an element selects an item.
func newItemIndex(items []any, element fieldpath.PathElement) *itemIndex {
	x := &itemIndex{positions: make(map[string]int, len(items))}
	if element.Key != nil {
		x.keys = *element.Key
	}
	for i, item := range slices.Backward(items) { // the first of equal ones stays
		x.text = x.text[:0]
		if element.Value != nil {
			x.text = appendScalar(x.text, item)
		} else if absent := x.writeKeysOf(item); !slices.Contains(x.absent, absent) {
			x.absent = append(x.absent, absent)
		}
		x.positions[string(x.text)] = i
	}
	return x
}

// isFor reports whether the index has the keys by which an element selects an item.
func (x *itemIndex) isFor(element fieldpath.PathElement) bool {
	if element.Key == nil {
		return x.keys == nil
	}
	return slices.EqualFunc(x.keys, *element.Key, func(a, b value.Field) bool { return a.Name == b.Name })
}

// writeKeysOf writes the keys of an item, and returns which of them it leaves out.
func (x *itemIndex) writeKeysOf(item any) (absent uint) {
	object, _ := item.(map[string]any)
	for i, key := range x.keys {
		if value, ok := object[key.Name]; ok {
			x.text = appendScalar(x.text, value)
		} else {
			absent |= 1 << i
		}
		x.text = append(x.text, 0)
	}
	return absent
}

// find returns the index of the item that an element selects, or -1. An item that leaves out a key
// matches if no other item matches better, because the API server defaults some keys, such as the
// protocol of a port. Of items that match equally well it is the first.
func (x *itemIndex) find(element fieldpath.PathElement) int {
	if element.Value != nil {
		x.text = appendScalar(x.text[:0], (*element.Value).Unstructured())
		if at, ok := x.positions[string(x.text)]; ok {
			return at
		}
		return -1
	}
	best, most := -1, 0
	for _, absent := range x.absent {
		n := len(*element.Key) - bits.OnesCount(absent)
		if n == 0 || n < most || !x.writeKeys(*element.Key, absent) {
			continue
		}
		if at, ok := x.positions[string(x.text)]; ok && (n > most || at < best) {
			best, most = at, n
		}
	}
	return best
}

// writeKeys writes the keys of an item that leaves out some of them. It reports false if there can
// be no such item, because a key is not the default.
func (x *itemIndex) writeKeys(keys value.FieldList, absent uint) bool {
	x.text = x.text[:0]
	for i, key := range keys {
		switch {
		case absent&(1<<i) == 0:
			x.text = appendScalar(x.text, key.Value.Unstructured())
		case key.Name == "protocol" && slices.Contains(otherProtocols, key.Value.Unstructured()):
			return false
		}
		x.text = append(x.text, 0)
	}
	return true
}

// otherProtocols are the protocols of ports that differ from the default.
var otherProtocols = []any{"UDP", "SCTP"}
