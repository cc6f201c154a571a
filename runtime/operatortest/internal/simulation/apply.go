package simulation

import (
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Order says how an answer is carried out.
type Order struct {
	Prunes     bool // the children that are not desired go
	RefusesAll bool // the API server refuses every child
}

// Apply carries out what is desired of each kind, and returns the children that were applied.
func (w *World) Apply(desired []declared.ChildKind, order Order) ([]declared.DesiredChild, error) {
	tasks, err := w.newTasks(desired)
	if err != nil {
		return nil, err
	}
	var applied []declared.DesiredChild
	unapplied := map[*kind]bool{}
	turns := w.findTurns(tasks, desired)
	for hasChanged := true; hasChanged; {
		hasChanged = false
		for _, t := range tasks {
			if t.done || w.waits(t, tasks) {
				continue
			}
			t.done, hasChanged = true, true
			if err := w.refusal(t, order); err != nil {
				t.kind.refused[t.name], unapplied[t.kind] = err, true
				continue
			}
			delete(t.kind.refused, t.name)
			isApplied, err := w.applyChild(t, turns[t])
			if err != nil {
				return applied, fmt.Errorf("apply %s: %w", Describe(t.object), err)
			}
			if isApplied {
				applied = append(applied, t.DesiredChild)
			}
		}
	}
	w.deleteReplaced(tasks)
	if order.Prunes && !isWaiting(tasks) {
		w.prune(tasks, desired, unapplied)
	}
	return applied, nil
}

func (w *World) refusal(t *task, order Order) error {
	if order.RefusesAll {
		return fmt.Errorf("%s is refused", Describe(t.object))
	}
	return w.refusalOf(t.object)
}

func isWaiting(tasks []*task) bool {
	for _, t := range tasks {
		if !t.done {
			return true
		}
	}
	return false
}

// applyChild writes a child as its strategy says, and reports whether it has its desired state.
func (w *World) applyChild(t *task, hasTurn bool) (bool, error) {
	existing := t.kind.children[t.name]
	if existing == nil || t.Recreate {
		w.create(t)
		return true, nil
	}
	rules := t.Policies.Update.Rules()
	content, tokens := w.withGenerated(t, existing)
	isChanged := existing.lacks(content, t.inPlace)
	existing.isOutdated = isChanged && rules.CarriesHash && (!rules.WritesChanges || t.NotUpdated != "" || rules.Rolls && !hasTurn)
	switch {
	case existing.isOutdated:
		return false, existing.change(changedInPlace(existing.applied, content, t.inPlace))
	case !rules.WritesChanges: // CreateOnly
		return true, nil
	case rules.Recreates && isChanged:
		w.create(t)
		return true, nil
	}
	existing.tokens = tokens
	return true, existing.change(content)
}

// lacks reports whether a child was made from another desired state, beside what is applied in place.
func (c *child) lacks(content map[string]any, inPlace apply.PathsInPlace) bool {
	return !reflect.DeepEqual(inPlace.Without(c.applied), inPlace.Without(content))
}

// create creates a child. The status of one that was recreated is gone.
func (w *World) create(t *task) {
	content, tokens := w.withGenerated(t, nil)
	t.kind.children[t.name] = &child{
		object: w.newObject(withoutText(content), t.kind.Object), applied: content, tokens: tokens,
	}
}

// change writes a child in place. Its status stays.
func (c *child) change(content map[string]any) error {
	merged, err := mergeContents(c.object, withoutText(c.applied), withoutText(content))
	if err != nil {
		return err
	}
	if !isSameSpec(contentOf(c.object), contentOf(merged)) {
		merged.SetGeneration(c.object.GetGeneration() + 1)
	}
	c.object, c.applied = merged, content
	return nil
}

// deleteReplaced deletes the children that must be gone before a desired one is created.
func (w *World) deleteReplaced(tasks []*task) {
	isDesired := func(object client.Object) bool {
		for _, t := range tasks {
			if t.kind.has(object) && t.name == w.nameOf(object) {
				return true
			}
		}
		return false
	}
	for _, t := range tasks {
		for _, old := range t.Replaces {
			if !t.done && !isDesired(old) {
				w.Delete(old)
			}
		}
	}
}
