package simulation

import (
	"cmp"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/rolling"
)

// findTurns returns the tasks of rolling updates whose turn it is, as the runtime finds them.
func (w *World) findTurns(tasks []*task, desired []declared.ChildKind) map[*task]bool {
	turns := map[*task]bool{}
	for i, kind := range w.kinds {
		var inRoll []*task
		for _, t := range tasks {
			if t.kind == kind && t.isInRoll() && (t.existing() != nil || w.areHealthy(t.After, tasks) && w.areHealthy(t.CreateAfter, tasks)) {
				inRoll = append(inRoll, t)
			}
		}
		if len(inRoll) == 0 {
			continue
		}
		members := make([]rolling.Member, len(inRoll))
		for i, t := range inRoll {
			members[i] = w.memberOf(t)
		}
		limit := cmp.Or(desired[i].Fields.Desired.MaxUnavailable, kind.MaxUnavailable)
		for _, i := range rolling.FindTurns(members, limit.Of(len(members))) {
			turns[inRoll[i]] = true
		}
	}
	return turns
}

func (t *task) existing() *child { return t.kind.children[t.name] }

// isInRoll reports whether a child takes part in the rolling update of its kind.
func (t *task) isInRoll() bool {
	rules := t.Policies.Update.Rules()
	return rules.Rolls || rules.CarriesHash && !rules.WritesChanges
}

func (w *World) memberOf(t *task) rolling.Member {
	made := rolling.Member{IsHealthy: t.isReady(), KeepsVersion: !t.Policies.Update.Rules().Rolls || t.NotUpdated != "", IsLast: t.UpdateLast}
	if existing := t.existing(); existing != nil {
		content, _ := w.withGenerated(t, existing)
		made.IsOutdated = existing.lacks(content, t.inPlace)
	}
	return made
}

// areHealthy reports whether desired children exist and are ready.
func (w *World) areHealthy(objects []client.Object, all []*task) bool {
	return !slices.ContainsFunc(objects, func(object client.Object) bool {
		return !slices.ContainsFunc(all, func(t *task) bool { return t.kind.has(object) && t.name == w.nameOf(object) && t.isReady() })
	})
}
