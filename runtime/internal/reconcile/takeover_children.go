package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// reasonTakeover is the reason of Ready=False while the children of a parent could not be taken over. Sync
// is not called before. It tells the next start that this is still to be done.
const reasonTakeover = "TakeoverFailed"

// reasonTakenOver is the reason of Events about what was taken over.
const reasonTakenOver = "TakenOver"

// errTakeover says why what another operator made for a parent could not be taken over.
type errTakeover struct{ err error }

func (e errTakeover) Unwrap() error { return e.err }

func (e errTakeover) Error() string {
	return "Sync waits until the children that another operator may have made are taken over: " + e.err.Error()
}

// showsNothingOf reports whether the status cannot show an error that the next start has to know of: any
// other write of it would tell that the parent was reconciled.
func (s *subject) showsNothingOf(err error) bool {
	return errors.As(err, new(errTakeover)) && !s.loop.definition.Status.HasConditions()
}

// takeOver takes over what another operator has made for the parent, and adds it to what is observed. It
// reports whether there was anything.
func (r *restorer) takeOver(ctx context.Context, observed *observed) (isFound bool, err error) {
	isNew, isTaken, err := r.loop.isTakenOver(ctx, r.parent)
	if err != nil || !isTaken || r.isOrphaning() || !r.loop.selector.matches(r.parent) {
		return false, err
	}
	for _, kind := range r.loop.childKinds {
		if !kind.isServed() || !kind.isFirst() {
			continue
		}
		objects, err := r.loop.listOwned(ctx, kind, r.parent.GetUID())
		switch {
		case kind.isUnserved(err):
			continue
		case err != nil:
			return false, errTakeover{fmt.Errorf("list the objects of kind %s: %w", kind.Kind, err)}
		}
		for _, object := range objects {
			taken, err := r.takeOverChild(ctx, kind.entryOf(object).newChild(object), isNew)
			if err != nil {
				return false, staleOrTakeover(err)
			}
			if taken.Object != nil {
				observed.put(kind.entryOf(taken.Object), taken.Object)
				isFound = true
			}
		}
	}
	if isFound && r.loop.definition.Status.GenerationOf(r.parent) == 0 {
		r.state.isEdited = false // it is no new parent, so that its spec explains no prunes
	}
	if err := staleOrJoined(r.writer.replaceFinalizers(ctx), r.warnAboutFieldsOfOthers(ctx)); err != nil {
		return false, staleOrTakeover(err)
	}
	if !r.loop.environment.Observe { // which has to find the same in each reconcile
		r.loop.endTakeover(r.name())
	}
	return isFound, nil
}

func staleOrTakeover(err error) error {
	if isStale(err) {
		return err
	}
	return errTakeover{err}
}

// takeOverChild reads an object live, and takes it over if it is to be. Otherwise the result has no object.
func (r *restorer) takeOverChild(ctx context.Context, found child, isNew bool) (apply.Takeover, error) {
	uid, current := found.object.GetUID(), found.newObject()
	err := r.loop.liveReader.Get(ctx, found.name, current)
	if apierrors.IsNotFound(err) {
		return apply.Takeover{}, nil
	}
	if err != nil {
		return apply.Takeover{}, errChild{key: found.key(), err: err}
	}
	isChild := r.isOwnChild(found, current)
	if current.GetUID() != uid || !isChild && !r.isLeftBehind(current, isNew) {
		return apply.Takeover{}, nil
	}
	var marks map[string]any
	if !isChild {
		found.object = current
		marks = r.marksAsBefore(found)
		r.loop.childCache.moveMarks(marks, current)
	}
	budget := &r.state.missing.lookAt(uid).budget
	taken, err := found.applier.TakeOver(ctx, r.now, budget, found.key(), current, r.parent.GetUID(), marks)
	if err != nil {
		return apply.Takeover{}, errChild{key: found.key(), err: err}
	}
	if !r.isMarked(taken.Object) { // admission keeps others
		return apply.Takeover{}, errMarksRemoved{key: found.key()}
	}
	if isChild && !taken.Written {
		return apply.Takeover{}, nil
	}
	isFirst := r.state.recordTakeover(found.key(), taken)
	r.writer.recordChildWrite(found.childKind, found.key().String(), taken.Object)
	if isFirst {
		r.loop.environment.Metrics.CountWrite(r.loop.definition.Name, found.Kind, string(apply.Adopted))
		log.FromContext(ctx).V(1).Info("took over a child of another operator", "child", found.key().String(), "fieldsOf", taken.From)
	}
	return taken, nil
}

// isOwnChild reports whether an object that was read live is a child of the parent already.
func (r *restorer) isOwnChild(found child, current client.Object) bool {
	uid, _ := found.applier.ParentOf(current)
	return uid == r.parent.GetUID() && r.isMarked(current)
}

// takenChild is what a parent remembers of a child that it has taken over.
type takenChild struct {
	apply.Takeover
	isReported bool
	staying    string // which fields of others stay in it; empty: none
}

// recordTakeover remembers that a child was taken over. It reports whether that is new: an operator that
// observes finds the same child again and again.
func (s *state) recordTakeover(key apply.Key, taken apply.Takeover) (isNew bool) {
	if known := s.taken[key]; known != nil && known.Object.GetUID() == taken.Object.GetUID() {
		return false
	}
	if s.taken == nil {
		s.taken = map[apply.Key]*takenChild{}
	}
	s.taken[key] = &takenChild{Takeover: taken}
	return true
}

// reportTakeover reports, once a child that was taken over is applied, which fields that removed, and
// which of others stay. It returns the latter as a text for the Ready condition.
func (r *run) reportTakeover(ctx context.Context, t task, child client.Object) string {
	taken := r.state.taken[t.Key()]
	switch rules := t.Update.Rules(); {
	case taken == nil || child == nil || child.GetUID() != taken.Object.GetUID():
		return ""
	case taken.isReported || !rules.RepairsDrift || !rules.WritesChanges:
		return taken.staying
	}
	taken.isReported = true
	removed, staying, err := r.compareTakeover(ctx, t, taken.Takeover, child)
	if err != nil {
		log.FromContext(ctx).Error(err, "compare a child that was taken over", "child", t.Key().String())
		return ""
	}
	taken.staying = staying
	if len(removed) > 0 {
		r.reportRemoved(ctx, t, *taken, removed)
	}
	taken.Takeover = apply.Takeover{Object: taken.Object} // the rest is not needed any more
	return staying
}

// compareTakeover returns which fields that were taken over an apply has removed, or would remove, and whose
// fields stay.
func (r *run) compareTakeover(ctx context.Context, t task, taken apply.Takeover, child client.Object) (removed []string, staying string, err error) {
	observes := r.loop.environment.Observe
	var created client.Object
	if len(taken.Others) > 0 || observes {
		if created, err = t.kind.applier.CreateDryRun(ctx, t.Desired); err != nil {
			return nil, "", err
		}
	}
	switch {
	case !observes:
		removed, err = taken.Removed(t.Desired, child)
	case created != nil:
		removed, err = taken.WouldRemove(t.Desired, created)
	}
	if err != nil || created == nil {
		return removed, "", err
	}
	others, err := taken.Staying(t.Desired, child, created)
	var texts []string
	for _, manager := range slices.Sorted(maps.Keys(others)) {
		texts = append(texts, fmt.Sprintf("%s of %s", joinPaths(others[manager]), manager))
	}
	return removed, joinSome(texts), err
}

// reportRemoved logs which fields went with the takeover of a child, and says so in an Event for the first
// child of each kind.
func (r *run) reportRemoved(ctx context.Context, t task, taken takenChild, removed []string) {
	message := "removed fields of another operator"
	if r.loop.environment.Observe {
		message = "would remove fields of another operator"
	}
	log.FromContext(ctx).Info(message, "child", t.Key().String(), "fieldsOf", taken.From, "fields", removed)
	if r.loop.takeover.isFirstOfKind(t.Kind) {
		r.recordEvent(corev1.EventTypeNormal, reasonTakenOver, truncateText(fmt.Sprintf("%s: took over the fields of %s, and removed %s; the log names those of other objects of the kind",
			t.Key(), joinPaths(taken.From), strings.Join(removed, ", "))))
	}
}
