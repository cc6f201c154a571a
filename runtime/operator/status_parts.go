package operator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// part names a field of a status, or one item of a list whose items their types tell apart.
type part struct{ field, item string }

// partsOf sums up each part. When a condition changed last says nothing of what it is.
func partsOf(fields map[string]json.RawMessage) map[part]uint64 {
	parts := make(map[part]uint64, len(fields))
	for field, value := range fields {
		items, _ := typedItems(value)
		for _, item := range items {
			hash := xxhash.New()
			for _, name := range slices.Sorted(maps.Keys(item.fields)) {
				if name != "lastTransitionTime" {
					fmt.Fprintf(hash, "%q: %s\n", name, item.fields[name])
				}
			}
			parts[part{field, item.kind}] = hash.Sum64()
		}
		if len(items) == 0 {
			parts[part{field, ""}] = xxhash.Sum64(value)
		}
	}
	return parts
}

// only returns some parts of what is to be, or of what was where there is to be none.
func (s statuses) only(parts map[part]bool) map[string]any {
	chosen := map[string]any{}
	for name := range parts {
		value, ok := s.is[name.field]
		if !ok {
			value = s.was[name.field]
		}
		if name.item == "" {
			chosen[name.field] = decoded(value)
			continue
		}
		items, _ := typedItems(value)
		i := slices.IndexFunc(items, func(i item) bool { return i.kind == name.item })
		if i < 0 {
			items, _ = typedItems(s.was[name.field])
			i = slices.IndexFunc(items, func(i item) bool { return i.kind == name.item })
		}
		list, _ := chosen[name.field].([]any)
		chosen[name.field] = append(list, decoded(items[i].RawMessage))
	}
	return chosen
}

func decoded(value json.RawMessage) (decoded any) {
	_ = json.Unmarshal(value, &decoded) // it is JSON
	return decoded
}

// leave takes parts out of what is to be written: they stay as they were.
func (s statuses) leave(parts map[part]bool) {
	for name := range parts {
		left := s.was[name.field]
		if !parts[part{name.field, ""}] {
			left = leaveItems(left, s.is[name.field], func(kind string) bool { return parts[part{name.field, kind}] })
		}
		if s.is[name.field] = left; left == nil {
			delete(s.is, name.field)
		}
	}
}

// leaveItems is what a list is to be, but for items that stay as they were; nil where
// none is left, and there was none.
func leaveItems(was, is json.RawMessage, stays func(kind string) bool) json.RawMessage {
	before, _ := typedItems(was)
	after, _ := typedItems(is)
	of := func(items []item, kind string) int {
		return slices.IndexFunc(items, func(i item) bool { return i.kind == kind })
	}
	left := []json.RawMessage{}
	for _, old := range before {
		if stays(old.kind) {
			left = append(left, old.RawMessage)
		} else if i := of(after, old.kind); i >= 0 {
			left = append(left, after[i].RawMessage)
		}
	}
	for _, new := range after {
		if !stays(new.kind) && of(before, new.kind) < 0 {
			left = append(left, new.RawMessage)
		}
	}
	if len(left) == 0 && was == nil {
		return nil
	}
	list, _ := json.Marshal(left) // it is JSON
	return list
}
