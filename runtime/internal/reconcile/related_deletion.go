package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// The author's code may have objects of its snapshot of related objects deleted. It decides by a
// cache, so each deletion is limited to the UID that it saw:
//
//   - findDeletions refuses an answer that deletes what it must not.
//   - limitPrunes counts the deletions at the brake, together with the prunes.
//   - planDeletions leaves out what failed or has been deleted too often, before the status is written.
//   - deleteRelated makes the rest, after that. An operator that is killed between the two asks for
//     them again: nothing of them is remembered but backoffs.

// relatedObject is a related object that the author's code deletes, and its entry.
type relatedObject struct {
	*relatedKind
	object client.Object // of the cache
}

func (o relatedObject) key() apply.Key {
	return apply.Key{Kind: o.GroupVersionKind, Name: client.ObjectKeyFromObject(o.object)}
}

// isFinished reports whether the object has finished, as a Job that is complete.
func (o relatedObject) isFinished() bool { return health.Rules{}.IsFinished(o.object) }

// mayDeleteRelated reports whether the author's code may delete related objects.
func (l *loop) mayDeleteRelated() bool {
	return slices.ContainsFunc(l.relatedKinds, func(kind *relatedKind) bool { return kind.Delete })
}

// findDeletions returns the related objects that an answer deletes, each once, without those that are
// being deleted. It returns an error if one of the objects must not be deleted.
func (r *run) findDeletions(observed *observed, objects []client.Object) ([]relatedObject, error) {
	var found []relatedObject
	var invalid []error
	seen := map[types.UID]bool{}
	for _, object := range objects {
		deletion, err := r.findDeletion(observed, object)
		switch {
		case err != nil:
			invalid = append(invalid, err)
		case deletion.object.GetDeletionTimestamp() == nil && !seen[object.GetUID()]:
			seen[object.GetUID()] = true
			found = append(found, deletion)
		}
	}
	return found, errors.Join(invalid...)
}

// findDeletion returns a related object of this reconcile that an answer deletes.
func (r *run) findDeletion(observed *observed, object client.Object) (relatedObject, error) {
	if isNil(object) {
		return relatedObject{}, errors.New("Delete lists an object that is nil")
	}
	var forbidden string
	for i, kind := range r.loop.relatedKinds {
		if i >= len(observed.related) {
			break
		}
		at := slices.IndexFunc(observed.related[i], func(o client.Object) bool { return o.GetUID() == object.GetUID() })
		if at < 0 {
			continue
		}
		found := relatedObject{kind, observed.related[i][at]}
		switch {
		case r.isOwnChild(observed, found.object):
			return relatedObject{}, fmt.Errorf("%s cannot be deleted as a related object: it is a child of this parent, which is deleted once it is left out of Children", found.key())
		case kind.Delete:
			return found, nil
		}
		forbidden = found.key().String()
	}
	if forbidden != "" {
		return relatedObject{}, fmt.Errorf("%s cannot be deleted: write delete: true on its entry under operator.related, and run opgen generate", forbidden)
	}
	return relatedObject{}, fmt.Errorf("%s cannot be deleted: it is not among the related objects of this request, as Related of the request has them", r.nameObject(object))
}

// isOwnChild reports whether an object is a child of the parent, or was one before somebody took its
// marks.
func (r *run) isOwnChild(observed *observed, object client.Object) bool {
	isSame := func(c child) bool { return c.object.GetUID() == object.GetUID() }
	return observed.uids()[object.GetUID()] || slices.ContainsFunc(observed.unmarked, isSame) ||
		r.loop.childCache.labelUID(object) == r.parent.GetUID()
}

// nameObject returns the kind and name of an object of the author's.
func (r *run) nameObject(object client.Object) string {
	gvk, err := apiutil.GVKForObject(object, r.loop.client.Scheme())
	if err != nil {
		gvk.Kind = "object"
	}
	return apply.Key{Kind: gvk, Name: client.ObjectKeyFromObject(object)}.String()
}

// deletions are the deletions of related objects that a reconcile may make.
type deletions struct {
	due       []relatedObject
	failed    error              // of those that failed when they were tried last, and that failure is shown
	conflicts []deletionConflict // of those that are put off, since somebody keeps creating the objects
}

// deletionConflict is why a deletion is put off.
type deletionConflict struct {
	key apply.Key
	backoff.Conflict
}

func (c deletionConflict) text() string {
	return c.key.String() + ": somebody keeps creating it, and it is deleted less and less often until that stops"
}

// deletionState is the state of budgets of deletions.
const deletionState = "deleted"

// planDeletions returns which of the deletions are due, and forgets those that were made long ago. It
// returns an error if an object became a child in this reconcile.
func (r *run) planDeletions(objects []relatedObject) (plan deletions, err error) {
	var failed, invalid []error
	asked := map[apply.Key]bool{}
	for _, object := range objects {
		key, uid := object.key(), object.object.GetUID()
		asked[key] = true
		if r.writer.children[uid] != nil {
			invalid = append(invalid, errInvalid{fmt.Errorf("%s cannot be deleted as a related object: it became a child of this parent in this reconcile", key)})
			continue
		}
		budget := r.state.deletions[key]
		if budget == nil {
			plan.due = append(plan.due, object)
			continue
		}
		conflict, _ := budget.Delay(r.now, func() (backoff.Conflict, error) { return backoff.Conflict{}, nil })
		if conflict != nil && budget.Failure(deletionState, uid) == nil {
			plan.conflicts = append(plan.conflicts, deletionConflict{key, *conflict})
			continue
		}
		plan.due = append(plan.due, object)
		if last := budget.Failure(deletionState, uid); last != nil {
			failed = append(failed, errDeletion{key, last})
		}
	}
	maps.DeleteFunc(r.state.deletions, func(key apply.Key, b *backoff.Budget) bool { return !asked[key] && b.IsIdle(r.now) })
	if plan.failed = errors.Join(failed...); r.delaysReport(plan.failed) {
		plan.failed = nil
	}
	return plan, errors.Join(invalid...)
}

// deleteRelated deletes related objects, unless a live read shows that the parent has changed. An object
// that is gone, or whose name another one has, counts as deleted.
func (w *writer) deleteRelated(ctx context.Context, objects []relatedObject) error {
	if len(objects) == 0 {
		return nil
	}
	if w.changedMeanwhile {
		return errParentChanged
	}
	if err := w.checkUnchanged(ctx); err != nil {
		return err
	}
	var failed []error
	for _, object := range objects {
		if err := w.deleteRelatedObject(ctx, object); err != nil {
			failed = append(failed, errDeletion{object.key(), err})
		}
	}
	return errors.Join(failed...)
}

func (w *writer) deleteRelatedObject(ctx context.Context, deleted relatedObject) error {
	key, uid := deleted.key(), deleted.object.GetUID()
	budget := w.deletionBudget(key)
	if err := budget.Replay(w.now, deletionState, uid); err != nil {
		return err
	}
	target := deleted.newObject()
	target.SetNamespace(key.Name.Namespace)
	target.SetName(key.Name.Name)
	err := w.loop.client.Delete(ctx, target, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	isGone := apierrors.IsNotFound(err) || apierrors.IsConflict(err)
	if err != nil && !isGone {
		return budget.Fail(w.now, deletionState, uid, err)
	}
	budget.Succeeded()
	w.recordRelated(deleted.GroupVersionKind, deleted.object, w.state.writes.RecordDeletion)
	if isGone {
		return nil
	}
	if !w.loop.environment.Observe {
		budget.SetState(deletionState)
		budget.Spend(w.now)
	}
	w.recordRemoval(key, uid)
	w.loop.environment.Metrics.CountRelatedDeletion(w.loop.definition.Name, deleted.Kind)
	log.FromContext(ctx).V(1).Info("deleted a related object", "object", key.String())
	return nil
}

// deletionBudget returns the budget of the deletions of what has a name.
func (s *subject) deletionBudget(key apply.Key) *backoff.Budget {
	if s.state.deletions == nil {
		s.state.deletions = map[apply.Key]*backoff.Budget{}
	}
	if s.state.deletions[key] == nil {
		s.state.deletions[key] = new(backoff.Budget)
	}
	return s.state.deletions[key]
}
