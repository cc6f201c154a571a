package operator

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"

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

// keptPart is a part by the hashes of its name and of its value, since there is one
// memory for every parent.
type keptPart struct{ name, value uint64 }

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

// wrote remembers a status as our write left it, by the API server's answer. What
// somebody else has changed meanwhile is in there, too, and was as it is wanted.
func (m *statusMemory) wrote(s statuses, answer map[string]json.RawMessage, lost map[part]bool) {
	parts := partsOf(answer)
	if s.first {
		m.keep(parts, lost)
		return
	}
	was, is := partsOf(s.was), partsOf(s.is)
	maps.DeleteFunc(parts, func(name part, _ uint64) bool { return was[name] == is[name] })
	for name, value := range is {
		if was[name] == value {
			parts[name] = value
		}
	}
	m.keep(parts, lost)
}

// keep remembers the parts of a status as it is after a pass, but for what was lost.
func (m *statusMemory) keep(parts map[part]uint64, lost map[part]bool) {
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
func (p *pass) keptStatus(s statuses, answer any, lost map[part]bool) error {
	fields, err := jsonFields(answer)
	if err != nil {
		return err
	}
	p.state.status.wrote(s, fields, lost)
	if len(lost) > 0 && p.unkept == nil {
		p.state.status.dispute.Repaired(p.now)
	}
	return nil
}
