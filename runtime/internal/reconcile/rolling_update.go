package reconcile

import (
	"cmp"
	"slices"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// rollingUpdate says which child of each entry of kinds with a rolling strategy may be changed now. It
// needs no memory, since each child carries the hash of what it was made from: a rolling
// update goes on from wherever another reconcile, or another process, left it.
//
//	a child with the latest hash is not healthy, or is missing   none: the update waits
//	else some outdated child is not healthy                      the first of these
//	else                                                         the first outdated one
//
// The first is the one that Sync added first. A child that is missing because it comes after
// one that is not healthy does not make the update wait: the update may be what heals that
// one.
//
// The first row holds even if no child is healthy: all of them may be unhealthy for a moment,
// while the latest is broken for good. Children that get healthy only together are for the
// author to recreate, with RecreateIf.
type rollingUpdate struct {
	tasks  []task
	turns  map[*childKind]apply.Key
	queued map[apply.Key]queuedChild // those that wait for their turn
}

// queuedChild is a child that waits for its turn.
type queuedChild struct {
	kind      *childKind
	isHealthy bool
}

func newRollingUpdate(tasks []task) *rollingUpdate {
	u := &rollingUpdate{tasks: tasks, queued: map[apply.Key]queuedChild{}}
	if !slices.ContainsFunc(tasks, func(t task) bool { return t.rolls() }) {
		return u
	}
	u.turns = map[*childKind]apply.Key{}
	urgent, closed := map[*childKind]bool{}, map[*childKind]bool{}
	healthy := map[apply.Key]bool{}
	for _, task := range tasks {
		healthy[task.Key()] = task.isHealthy()
	}
	for _, task := range sortByPlace(tasks) {
		if !task.rolls() || task.observed == nil && task.waitsForAny(healthy) {
			continue
		}
		kind, isHealthy := task.kind, healthy[task.Key()]
		switch {
		case !task.isOutdated():
			closed[kind] = closed[kind] || !isHealthy
		case !isHealthy && !urgent[kind]:
			u.turns[kind], urgent[kind] = task.Key(), true
		case u.turns[kind] == (apply.Key{}):
			u.turns[kind] = task.Key()
		}
	}
	for kind := range closed {
		if closed[kind] {
			delete(u.turns, kind)
		}
	}
	return u
}

// queue records that a child waits for its turn.
func (u *rollingUpdate) queue(t task) { u.queued[t.Key()] = queuedChild{t.kind, t.isHealthy()} }

// delaysRecreation reports whether a child with a rolling strategy that has drifted is not
// recreated yet, so that at most one is down: another of its kind is being updated, or it is
// healthy and another is not. done are the children before it.
func (u *rollingUpdate) delaysRecreation(t task, done []child) bool {
	if !t.rolls() || t.isOutdated() {
		return false
	}
	isReplaced := func(c child) bool { return c.isReplaced && c.childKind == t.kind }
	if u.turns[t.kind] != (apply.Key{}) || slices.ContainsFunc(done, isReplaced) {
		return true
	}
	isDown := func(other task) bool { return other.rolls() && other.kind == t.kind && !other.isHealthy() }
	return t.isHealthy() && slices.ContainsFunc(u.tasks, isDown)
}

// sortByPlace returns the tasks in the order in which Sync added them.
func sortByPlace(tasks []task) []task {
	return slices.SortedFunc(slices.Values(tasks), func(a, b task) int { return cmp.Compare(a.place, b.place) })
}

// rolls reports whether the children of a kind are changed one after the other.
func (t task) rolls() bool { return t.Update.Rules().Rolls }

// isHealthy reports whether a child exists and is healthy as it was observed.
func (t task) isHealthy() bool {
	return t.observed != nil && t.healthOf(t.observed).State == health.Ready
}

// waitsForAny reports whether the creation of a child comes after one that is not healthy.
func (t task) waitsForAny(healthy map[apply.Key]bool) bool {
	return slices.ContainsFunc(t.dependencies(), func(key apply.Key) bool { return !healthy[key] })
}

// isOutdated reports whether a child exists and was made from another desired state. A child
// that is being deleted is on its way to the latest already.
func (t task) isOutdated() bool {
	return t.observed != nil && t.observed.GetDeletionTimestamp() == nil && t.IsOutdated(t.observed)
}
