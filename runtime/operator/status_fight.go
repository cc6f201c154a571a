package operator

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// statusMemory tells repairs of a parent's status from what is new in it. A repair
// gives a part the value that our last write left there and somebody else changed:
// what flips because Sync wants something else is none.
type statusMemory struct {
	kept       []keptPart     // of the status as our last write left it; nil before
	generation int64          // of the dispute
	dispute    *apply.Dispute // nil while nothing was lost
}

// part names a field of a status, or one item of a list whose items their types tell apart.
type part struct{ field, item string }

// keptPart is a part by the hashes of its name and of its value, since there is one
// memory for every parent.
type keptPart struct{ name, value uint64 }

var partSeed = maphash.MakeSeed()

// lost returns the parts that somebody else has changed since they were as wanted.
func (m *statusMemory) lost(s statuses) (lost map[part]bool) {
	if m.kept == nil {
		return nil
	}
	was, is := partsOf(s.was), partsOf(s.is)
	for _, names := range []map[part]uint64{was, is} {
		for name := range names {
			if was[name] != is[name] && m.value(name) == is[name] {
				if lost == nil {
					lost = map[part]bool{}
				}
				lost[name] = true
			}
		}
	}
	return lost
}

// value is that of a part that was kept; zero when it was absent.
func (m *statusMemory) value(name part) uint64 {
	hash := maphash.Comparable(partSeed, name)
	for _, part := range m.kept {
		if part.name == hash {
			return part.value
		}
	}
	return 0
}

// keep remembers a status as it is after a pass, but for what was lost.
func (m *statusMemory) keep(fields map[string]json.RawMessage, lost map[part]bool) {
	parts := partsOf(fields)
	for name := range lost {
		if parts[name] = m.value(name); parts[name] == 0 {
			delete(parts, name)
		}
	}
	m.kept = make([]keptPart, 0, len(parts))
	for name, value := range parts {
		m.kept = append(m.kept, keptPart{maphash.Comparable(partSeed, name), value})
	}
}

// disputed tells whether somebody else has changed the status since the parent's last
// change.
func (m *statusMemory) disputed() bool { return m.dispute != nil }

// partsOf sums up each part. When a condition changed last says nothing of what it is.
func partsOf(fields map[string]json.RawMessage) map[part]uint64 {
	parts := make(map[part]uint64, len(fields))
	for field, value := range fields {
		items, _ := typedItems(value)
		for _, item := range items {
			var hash maphash.Hash
			hash.SetSeed(partSeed)
			for _, name := range slices.Sorted(maps.Keys(item.fields)) {
				if name != "lastTransitionTime" {
					maphash.WriteComparable(&hash, name)
					hash.Write(item.fields[name])
				}
			}
			parts[part{field, item.kind}] = hash.Sum64()
		}
		if len(items) == 0 {
			parts[part{field, ""}] = maphash.Bytes(partSeed, value)
		}
	}
	return parts
}

// holdBack finds what somebody else has changed in the status. What comes back again
// and again is left as it is for now: that is taken out of what is to be written.
func (p *pass) holdBack(ctx context.Context, s statuses) (lost map[part]bool, err error) {
	memory := &p.state.status
	if memory.generation != p.parent.GetGeneration() {
		memory.generation, memory.dispute = p.parent.GetGeneration(), nil
	}
	if lost = memory.lost(s); lost == nil {
		return nil, nil
	}
	if memory.dispute == nil {
		memory.dispute = new(apply.Dispute)
	}
	p.unkept, err = memory.dispute.Hold(ctx, p.now, p.live, p.parent, func(live client.Object) (string, []string) {
		return apply.StatusRival(live, p.manager, s.only(lost))
	})
	if p.unkept != nil {
		s.leave(lost)
		p.warnOf(ctx, disputed("the status", *p.unkept))
	}
	return lost, err
}

// keptStatus remembers the status that the API server answered a write with.
func (p *pass) keptStatus(status any, lost map[part]bool) error {
	fields, err := jsonFields(status)
	if err != nil {
		return err
	}
	p.state.status.keep(fields, lost)
	if len(lost) > 0 && p.unkept == nil {
		p.state.status.dispute.Repaired(p.now)
	}
	return nil
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
