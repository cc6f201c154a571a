package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// finishRecreations finishes the recreations of a parent that is finalized, before any child of it is
// removed: the new child, as Sync desires it, adopts the dependents of the old one, and is then deleted
// with them. isOpen says that this is not done. If Sync does not desire the child, or if it fails or the
// API server refuses the child for some minutes, the dependents stay without an owner.
func (r *run) finishRecreations(ctx context.Context, observed *observed) (done applied, isOpen bool) {
	done.children = observed.all()
	open := r.recreations()
	if len(open) == 0 {
		return done, false
	}
	known := map[string]child{}
	for _, child := range done.children {
		known[recreationName(child.key())] = child
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(open)) {
		if _, ok := known[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		done.requeue, done.err = r.endAdoptions(ctx, done.children, func(string) bool { return false })
		return done, done.err != nil || len(r.recreations()) > 0
	}
	created, given, err := r.createRecreated(ctx, observed, missing)
	done.children = append(done.children, created...)
	if err != nil && !isStale(err) && r.isDeleting() && r.now.Sub(r.parent.GetDeletionTimestamp().Time) >= backoff.Recreation {
		for _, name := range missing {
			r.warnAboutDependents(ctx, name)
		}
		given, err = missing, nil
	}
	done.err = staleOrJoined(err, r.writer.endRecreations(ctx, given))
	return done, done.err != nil || len(r.recreations()) > 0
}

// createRecreated creates the missing children of these names, as Sync desires them. ended are the
// names of those that cannot be: Sync does not desire them, their name has another object by now, which
// stays and may have adopted the dependents, or their namespace is being deleted.
func (r *run) createRecreated(ctx context.Context, observed *observed, missing []string) (created []child, ended []string, err error) {
	response, err := r.calls.callSync(ctx, observed)
	if err != nil {
		return nil, nil, err
	}
	desired := map[string]bool{}
	var tasks []task
	if response.Children != nil {
		plan, invalid := r.planner.planChildren(observed, response.Children)
		for _, t := range plan.tasks {
			if name := recreationName(t.Key()); slices.Contains(missing, name) && t.observed == nil {
				t.after, t.createAfter, t.replaces = nil, nil, nil // they are not created any more
				tasks, desired[name] = append(tasks, t), true
			}
		}
		err = invalid
	}
	if len(tasks) < len(missing) && err != nil {
		return nil, nil, err
	}
	for _, name := range missing {
		if !desired[name] {
			r.warnAboutDependents(ctx, name)
			ended = append(ended, name)
		}
	}
	done := r.applyTasks(ctx, observed, tasks)
	var failed []error
	for _, one := range done.failed {
		conflict, isTaken := errors.AsType[apply.ErrNameConflict](one)
		if isTaken && conflict.Object.GetDeletionTimestamp() == nil {
			ended = append(ended, recreationName(one.key))
			continue
		}
		failed = append(failed, one)
	}
	if done.impossible != nil {
		ended = missing
	}
	return done.children, ended, staleOrJoined(done.err, errors.Join(failed...))
}
