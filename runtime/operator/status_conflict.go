package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// statusWrites meters the writes of a parent's status. A repetition gives a part the
// value that our last write left there and somebody else changed. What flips because Sync
// wants something else is none.
type statusWrites struct {
	written  map[uint64]uint64 // how our last write left each part; nil: not known
	conflict *backoff.Budget   // of the repetitions; nil while there are none
	refused  *backoff.Budget   // of the author's part, while the API server refuses it
}

// part names a field of a status, or one item of a list whose items their types tell apart.
type part struct{ field, item string }

func (p part) sum() uint64 { return xxhash.Sum64String(p.field + "\n" + p.item) }

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

// lost returns the parts that somebody else has changed since our last write left them as
// they are desired.
func (w *statusWrites) lost(s statuses) map[part]bool {
	if w.written == nil {
		return nil
	}
	was, is, lost := partsOf(s.was), partsOf(s.is), map[part]bool{}
	for _, names := range []map[part]uint64{was, is} {
		for name := range names {
			if was[name] != is[name] && w.written[name.sum()] == is[name] {
				lost[name] = true
			}
		}
	}
	return lost
}

// left remembers the status as a reconcile leaves it: as the API server answered, but for
// what somebody else has changed meanwhile or before.
func (w *statusWrites) left(s statuses, answer map[string]json.RawMessage, lost map[part]bool) {
	was, is, written := partsOf(s.was), partsOf(s.is), map[uint64]uint64{}
	for name, value := range partsOf(answer) {
		if s.first || was[name] != is[name] {
			written[name.sum()] = value
		}
	}
	for name, value := range is {
		if !s.first && was[name] == value || lost[name] {
			written[name.sum()] = value
		}
	}
	for name := range lost {
		if _, desired := is[name]; !desired {
			delete(written, name.sum())
		}
	}
	w.written = written
}

// holdStatus returns the parts of the status that somebody else has changed, and sets
// p.unkept if their repair has to wait.
func (p *pass) holdStatus(ctx context.Context, s statuses) (lost map[part]bool, err error) {
	writes := &p.state.status
	if lost = writes.lost(s); len(lost) == 0 || writes.conflict == nil {
		return lost, nil
	}
	p.unkept, err = writes.conflict.Hold(p.now, p.explain(ctx, func(live client.Object) (string, []string) {
		return apply.OtherStatusManager(live, p.manager, s.only(lost))
	}))
	if p.unkept != nil {
		p.warnOf(ctx, conflictText("the status", *p.unkept))
	}
	return lost, err
}

// explain reads the parent live, to name the other field manager.
func (p *pass) explain(ctx context.Context, other func(live client.Object) (manager string, lost []string)) func() (backoff.Conflict, error) {
	return func() (backoff.Conflict, error) {
		live := p.loop.parent.new()
		err := p.live.Get(ctx, client.ObjectKeyFromObject(p.parent), live)
		if err != nil {
			return backoff.Conflict{}, client.IgnoreNotFound(err)
		}
		manager, lost := other(live)
		return backoff.Conflict{Manager: manager, Paths: lost}, nil
	}
}

// keepStatus remembers the status that the API server answered a write with, or that
// needed none.
func (p *pass) keepStatus(s statuses, answer map[string]json.RawMessage, lost map[part]bool, wrote bool) {
	writes := &p.state.status
	if wrote && len(lost) > 0 && p.unkept == nil {
		if writes.conflict == nil {
			writes.conflict = new(backoff.Budget)
		}
		writes.conflict.Spend(p.now)
	}
	writes.left(s, answer, lost)
	if len(lost) == 0 && writes.conflict != nil && writes.conflict.IsCalm(p.now) {
		writes.conflict = nil
	}
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
		for _, list := range []json.RawMessage{value, s.was[name.field]} {
			items, _ := typedItems(list)
			i := slices.IndexFunc(items, func(i item) bool { return i.kind == name.item })
			if i >= 0 {
				others, _ := chosen[name.field].([]any)
				chosen[name.field] = append(others, decoded(items[i].RawMessage))
				break
			}
		}
	}
	return chosen
}

func decoded(value json.RawMessage) (decoded any) {
	_ = json.Unmarshal(value, &decoded) // it is JSON
	return decoded
}
