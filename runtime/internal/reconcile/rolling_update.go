package reconcile

import (
	"cmp"
	"slices"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/rolling"
)

// rollingUpdate says which children of each entry of kinds with a rolling strategy may be changed now. It
// needs no memory, since each child carries the hash of what it was made from: a rolling
// update goes on from wherever another reconcile, or another process, left it.
//
// Children that are missing because they come after one that is not healthy do not take part: the
// update may be what heals that one.
type rollingUpdate struct {
	tasks  []task
	turns  map[apply.Key]bool
	queued map[apply.Key]queuedChild // those that wait for their turn
}

// queuedChild is a child that waits for its turn.
type queuedChild struct {
	kind      *childKind
	isHealthy bool
}

func newRollingUpdate(tasks []task) *rollingUpdate {
	u := &rollingUpdate{tasks: tasks, turns: map[apply.Key]bool{}, queued: map[apply.Key]queuedChild{}}
	if !slices.ContainsFunc(tasks, func(t task) bool { return t.rolls() }) {
		return u
	}
	healthy := map[apply.Key]bool{}
	for _, task := range tasks {
		healthy[task.Key()] = task.isHealthy()
	}
	byKind := map[*childKind][]task{}
	for _, task := range slices.SortedFunc(slices.Values(tasks), func(a, b task) int { return cmp.Compare(a.place, b.place) }) {
		if task.isInRoll() && (task.observed != nil || !task.waitsForAny(healthy)) {
			byKind[task.kind] = append(byKind[task.kind], task)
		}
	}
	for kind, tasks := range byKind {
		members := make([]rolling.Member, len(tasks))
		for i, task := range tasks {
			members[i] = rolling.Member{
				IsHealthy: healthy[task.Key()], IsOutdated: task.isOutdated(), KeepsVersion: !task.rolls() || task.source.NotUpdated != "",
				IsLast: task.source.UpdateLast,
			}
		}
		for _, i := range rolling.FindTurns(members, u.limitOf(kind)) {
			u.turns[tasks[i].Key()] = true
		}
	}
	return u
}

// queue records that a child waits for its turn.
func (u *rollingUpdate) queue(t task) { u.queued[t.Key()] = queuedChild{t.kind, t.isHealthy()} }

// delaysRecreation reports whether a child with a rolling strategy that has drifted is not
// recreated yet, so that no more than the limit are down. Those whose turn it is go before it, and a
// healthy one waits for those that are not. done are the children before it.
func (u *rollingUpdate) delaysRecreation(t task, done []child) bool {
	if !t.rolls() || t.isOutdated() {
		return false
	}
	isReplaced := map[apply.Key]bool{}
	for _, child := range done {
		isReplaced[child.key()] = child.isReplaced
	}
	changed, down, limit := 0, 0, u.limitOf(t.kind)
	for _, other := range u.tasks {
		if other.kind != t.kind || !other.isInRoll() {
			continue
		}
		isChanged := u.turns[other.Key()] || isReplaced[other.Key()]
		if isChanged {
			changed++
		}
		if isChanged || !other.isHealthy() {
			down++
		}
	}
	return changed >= limit || t.isHealthy() && down >= limit
}

// limitOf returns how many children of a kind may be down at a time.
func (u *rollingUpdate) limitOf(kind *childKind) int {
	total, limit := 0, 1
	for _, task := range u.tasks {
		if task.kind == kind && task.isInRoll() {
			total++
		}
	}
	for _, task := range u.tasks {
		if task.kind == kind && task.rolls() {
			limit = task.maxUnavailable.Of(total)
		}
	}
	return limit
}

// rolls reports whether a child is changed when its turn comes.
func (t task) rolls() bool { return t.Update.Rules().Rolls }

// isInRoll reports whether a child takes part in the rolling update of its kind: it is changed when its
// turn comes, or keeps its version until somebody deletes it.
func (t task) isInRoll() bool {
	rules := t.Update.Rules()
	return rules.Rolls || rules.CarriesHash && !rules.WritesChanges
}

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
