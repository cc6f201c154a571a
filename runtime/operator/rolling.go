package operator

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// turns says which child of each kind with a rolling strategy may be changed
// now. A roll needs no memory, since each child carries the hash of what it was
// made from: it goes on from wherever another pass, or another process, left it.
//
//	a child with the latest hash is not healthy, or is missing   none: the roll waits
//	else some outdated child is not healthy                      the first of these
//	else                                                         the first outdated one
//
// The first is the one that Sync added first. A child that is missing because it
// comes after one that is not healthy keeps no roll waiting: what it waits for may
// be what the roll is to heal.
//
// The first row holds even if no child is healthy: all of them may be unwell for a
// moment, while the latest is bad for good. Those that get healthy only together
// are for the author to replace, with ReplaceIf.
func (p *pass) turns(tasks []task) map[schema.GroupVersionKind]apply.Key {
	if !slices.ContainsFunc(tasks, task.rolls) {
		return nil
	}
	turns := map[schema.GroupVersionKind]apply.Key{}
	urgent, closed := map[schema.GroupVersionKind]bool{}, map[schema.GroupVersionKind]bool{}
	healthy := map[apply.Key]bool{}
	for _, task := range tasks {
		healthy[task.Key()] = p.healthy(task)
	}
	for _, task := range asAdded(tasks) {
		if !task.rolls() || task.live == nil && task.waitsFor(healthy) {
			continue
		}
		kind, healthy := task.Kind, healthy[task.Key()]
		switch {
		case !p.outdated(task):
			closed[kind] = closed[kind] || !healthy
		case !healthy && !urgent[kind]:
			turns[kind], urgent[kind] = task.Key(), true
		case turns[kind] == (apply.Key{}):
			turns[kind] = task.Key()
		}
	}
	for kind := range closed {
		if closed[kind] {
			delete(turns, kind)
		}
	}
	return turns
}

func asAdded(tasks []task) []task {
	return slices.SortedFunc(slices.Values(tasks), func(a, b task) int { return cmp.Compare(a.place, b.place) })
}

// healthy tells whether a child exists and is healthy as it was observed.
func (p *pass) healthy(t task) bool {
	return t.live != nil && p.healthOf(t.kind, t.live).State == health.Ready
}

// waitsFor tells whether a task comes after one that is not healthy.
func (t task) waitsFor(healthy map[apply.Key]bool) bool {
	return slices.ContainsFunc(t.after, func(key apply.Key) bool { return !healthy[key] })
}

// rolls tells whether a change reaches this child only when it is its turn.
func (t task) rolls() bool { return t.update == RollingInPlace || t.update == RollingRecreate }

// outdated tells whether a child exists and was made from another desired state.
// One that is being deleted is on its way to the latest already.
func (p *pass) outdated(t task) bool {
	return t.live != nil && t.live.GetDeletionTimestamp() == nil && t.IsOutdated(t.live)
}

// waitsToGo tells whether a child with a rolling strategy that has drifted is not to be
// replaced yet, so that at most one is down: another of its kind is on its way, or it is
// healthy and another is not.
func (p *pass) waitsToGo(t task, tasks []task, turns map[schema.GroupVersionKind]apply.Key, done []child) bool {
	if !t.rolls() || p.outdated(t) {
		return false
	}
	leaves := func(c child) bool { return c.replaced && c.GroupVersionKind == t.Kind }
	if turns[t.Kind] != (apply.Key{}) || slices.ContainsFunc(done, leaves) {
		return true
	}
	down := func(other task) bool { return other.rolls() && other.Kind == t.Kind && !p.healthy(other) }
	return p.healthy(t) && slices.ContainsFunc(tasks, down)
}
