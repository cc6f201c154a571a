package status

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// Memory is what is remembered of a parent's status between reconciles. The zero value
// remembers nothing.
type Memory struct {
	written  map[uint64]uint64 // the hash of each part as the last write left it; nil: unknown
	conflict *backoff.Budget   // of the repairs; nil while there are none
	refused  *backoff.Budget   // of the author's part, while the API server refuses it
	noOp     noOpPatch
}

// RetryNow ends the backoff of a refused write.
func (m *Memory) RetryNow() {
	if m.refused != nil {
		m.refused.RetryNow()
	}
}

// ResetBudgets gives every write a full budget.
func (m *Memory) ResetBudgets() { m.conflict, m.refused = nil, nil }

// part names a field of a status, or one item of a list whose items differ by their types.
type part struct{ field, item string }

func (p part) hash() uint64 { return xxhash.Sum64String(p.field + "\n" + p.item) }

// hashParts returns a hash of each part. It leaves out when a condition changed last.
func hashParts(fields map[string]json.RawMessage) map[part]uint64 {
	parts := make(map[part]uint64, len(fields))
	for field, value := range fields {
		items, _ := parseTypedItems(value)
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

// findDrift returns the parts that somebody else has changed since the last write left them
// as they are desired. A part that differs because Sync desires something else is none.
func (m *Memory) findDrift(d difference) map[part]bool {
	if m.written == nil {
		return nil
	}
	before, after, drifted := hashParts(d.before), hashParts(d.after), map[part]bool{}
	for _, names := range []map[part]uint64{before, after} {
		for name := range names {
			if before[name] != after[name] && m.written[name.hash()] == after[name] {
				drifted[name] = true
			}
		}
	}
	return drifted
}

// recordStatus remembers the status as a reconcile leaves it: as the API server answered,
// without what somebody else has changed before or meanwhile.
func (m *Memory) recordStatus(d difference, answer map[string]json.RawMessage, drifted map[part]bool) {
	before, after, written := hashParts(d.before), hashParts(d.after), map[uint64]uint64{}
	for name, value := range hashParts(answer) {
		if d.isFirst || before[name] != after[name] {
			written[name.hash()] = value
		}
	}
	for name, value := range after {
		if !d.isFirst && before[name] == value || drifted[name] {
			written[name.hash()] = value
		}
	}
	for name := range drifted {
		if _, desired := after[name]; !desired {
			delete(written, name.hash())
		}
	}
	m.written = written
}

// countRepair counts a write that repaired drift.
func (m *Memory) countRepair(now time.Time) {
	if m.conflict == nil {
		m.conflict = new(backoff.Budget)
	}
	m.conflict.Spend(now)
}

// endConflict drops the budget of repairs once nothing has drifted for long enough.
func (m *Memory) endConflict(drifted map[part]bool, now time.Time) {
	if len(drifted) == 0 && m.conflict != nil && m.conflict.IsCalm(now) {
		m.conflict = nil
	}
}

// selectParts returns the values of some parts: as desired, or as they were where they are
// not desired any more.
func (d difference) selectParts(parts map[part]bool) map[string]any {
	selected := map[string]any{}
	for name := range parts {
		value, ok := d.after[name.field]
		if !ok {
			value = d.before[name.field]
		}
		if name.item == "" {
			selected[name.field] = decodeValue(value)
			continue
		}
		for _, list := range []json.RawMessage{value, d.before[name.field]} {
			items, _ := parseTypedItems(list)
			i := slices.IndexFunc(items, func(i item) bool { return i.kind == name.item })
			if i >= 0 {
				others, _ := selected[name.field].([]any)
				selected[name.field] = append(others, decodeValue(items[i].RawMessage))
				break
			}
		}
	}
	return selected
}

func decodeValue(value json.RawMessage) (decoded any) {
	_ = json.Unmarshal(value, &decoded) // it is JSON
	return decoded
}
