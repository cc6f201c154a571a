package operator

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/cespare/xxhash/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// statusMemory tells whether somebody else writes a parent's status, too. Mostly
// nobody does, so that little is remembered until then.
type statusMemory struct {
	left    uint64         // sums up the status as our last write left it; zero: not known
	contest *statusContest // nil while it was found as it was left
}

// statusContest tells repairs of a parent's status from what is new in it. A repair
// gives a part the value that our last write left there and somebody else changed:
// what flips because Sync wants something else is none.
type statusContest struct {
	generation int64           // of the parent
	kept       map[part]uint64 // of the status as our last write left it; nil before
	dispute    apply.Dispute
}

// lost returns the parts that somebody else has changed since they were as wanted.
func (m *statusContest) lost(s statuses) (lost map[part]bool) {
	if m.kept == nil {
		return nil
	}
	was, is := partsOf(s.was), partsOf(s.is)
	for _, names := range []map[part]uint64{was, is} {
		for name := range names {
			if was[name] != is[name] && m.kept[name] == is[name] {
				if lost == nil {
					lost = map[part]bool{}
				}
				lost[name] = true
			}
		}
	}
	return lost
}

// wrote remembers a status as our write left it, by the API server's answer. What
// somebody else has changed meanwhile is in there, too, and was as it is wanted.
func (m *statusContest) wrote(s statuses, answer map[string]json.RawMessage, lost map[part]bool) {
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
func (m *statusContest) keep(parts map[part]uint64, lost map[part]bool) {
	for name := range lost {
		if parts[name] = m.kept[name]; parts[name] == 0 {
			delete(parts, name)
		}
	}
	m.kept = parts
}

// found takes in a status that differs from what is wanted: it returns the contest
// over it, nil where nobody else has written to it since we did.
func (m *statusMemory) found(seen uint64, generation int64) *statusContest {
	if m.contest != nil && m.contest.generation != generation {
		m.contest.generation, m.contest.dispute = generation, apply.Dispute{}
	}
	if m.contest == nil && m.left != 0 && m.left != seen {
		m.contest = &statusContest{generation: generation}
	}
	return m.contest
}

// holdBack finds what somebody else has changed in the status. What comes back again
// and again is left as it is for now: that is taken out of what is to be written.
func (p *pass) holdBack(ctx context.Context, s statuses) (lost map[part]bool, err error) {
	contest := p.state.status.found(s.seen, p.parent.GetGeneration())
	if contest == nil {
		return nil, nil
	}
	if lost = contest.lost(s); lost == nil {
		return nil, nil
	}
	p.unkept, err = contest.dispute.Hold(ctx, p.now, p.live, p.parent, func(live client.Object) (string, []string) {
		return apply.StatusRival(live, p.manager, s.only(lost))
	})
	if p.unkept != nil {
		s.leave(lost)
		p.warnOf(ctx, disputed("the status", *p.unkept))
	}
	return lost, err
}

// keptStatus remembers the status that the API server answered a write with. What was
// written when a contest began counts as a repair: what was there before is not known.
func (p *pass) keptStatus(s statuses, answer any, lost map[part]bool) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	memory := &p.state.status
	memory.left = xxhash.Sum64(text)
	if memory.contest == nil {
		return nil
	}
	fields, err := fieldsOf(text)
	if err != nil {
		return err
	}
	if began := memory.contest.kept == nil; began || len(lost) > 0 && p.unkept == nil {
		memory.contest.dispute.Repaired(p.now)
	}
	memory.contest.wrote(s, fields, lost)
	return nil
}

// keptAll takes in a status that is as it is to be, but for what was lost and is held
// back. It ends a contest in which nothing was lost for a while.
func (p *pass) keptAll(s statuses, lost map[part]bool) {
	memory := &p.state.status
	switch {
	case memory.contest == nil:
	case len(lost) == 0 && memory.contest.dispute.Over(p.now):
		*memory = statusMemory{left: s.seen}
	default:
		memory.contest.keep(partsOf(s.is), lost)
	}
}
