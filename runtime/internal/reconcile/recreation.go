package reconcile

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// A child with the policy OrphanDependents is deleted and created again, and its dependents stay: the
// Pods of a StatefulSet. Until the new child has adopted them, they have no owner, and nobody deletes
// them. So a recreation must not end half-way:
//
//   - Before the delete, an annotation of the parent records the recreation, and the parent gets the
//     finalizer. The record ends once the new child has adopted the dependents.
//   - A parent that is deleted meanwhile first gets the new child, as Sync desires it; see
//     finish_recreation.go.
//   - Meanwhile the new child has no owner reference, so that the garbage collector deletes it at no
//     time that the operator does not know of.
//
// The record holds no content of the child. Whoever may write the parent could otherwise have the
// operator create what they may not create.

// recreatingKey is the annotation of the record, below the API group of the parent.
const recreatingKey = "/recreating"

// recreations are the UIDs of the children that are recreated without their dependents, by the names
// that recreationName returns.
type recreations map[string]types.UID

// recreationRecord is the value of the annotation. One of another parent means nothing.
type recreationRecord struct {
	Parent   types.UID   `json:"parent"`
	Children recreations `json:"children"`
}

func recreationName(key apply.Key) string {
	return key.Kind.GroupKind().String() + "/" + key.Name.String()
}

// recreations returns the recreations that the parent records.
func (s *subject) recreations() recreations {
	text, ok := s.parent.GetAnnotations()[s.loop.definition.Group+recreatingKey]
	if !ok {
		return nil
	}
	var record recreationRecord
	if json.Unmarshal([]byte(text), &record) != nil || record.Parent != s.parent.GetUID() {
		return nil
	}
	return record.Children
}

// recordRecreations records those of the children that are deleted without their dependents.
func (w *writer) recordRecreations(ctx context.Context, children []child) error {
	recorded := w.recreations()
	open := maps.Clone(recorded)
	for _, child := range children {
		if !child.isReplaced || !child.keepsDependents {
			continue
		}
		if open == nil {
			open = recreations{}
		}
		open[recreationName(child.key())] = child.object.GetUID()
	}
	return w.writeRecreations(ctx, recorded, open)
}

// endRecreations removes recreations from the record.
func (w *writer) endRecreations(ctx context.Context, ended []string) error {
	recorded := w.recreations()
	open := maps.Clone(recorded)
	for _, name := range ended {
		delete(open, name)
	}
	return w.writeRecreations(ctx, recorded, open)
}

// writeRecreations writes the record if it differs from the one of the parent.
func (w *writer) writeRecreations(ctx context.Context, recorded, open recreations) error {
	if maps.Equal(recorded, open) {
		return nil
	}
	text, err := json.Marshal(recreationRecord{w.parent.GetUID(), open})
	if err != nil {
		return err
	}
	return w.patchParent(ctx, func(parent client.Object) {
		annotations := maps.Clone(parent.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[w.loop.definition.Group+recreatingKey] = string(text)
		if len(open) == 0 {
			delete(annotations, w.loop.definition.Group+recreatingKey)
		} else {
			controllerutil.AddFinalizer(parent, w.loop.finalizer)
		}
		parent.SetAnnotations(annotations)
	})
}

// mayRecreate reports whether a child of this name, which does not exist, may be created again.
func (p plan) mayRecreate(name string) bool {
	for key := range p.keep {
		if recreationName(key) == name {
			return true
		}
	}
	return p.keepAll || slices.ContainsFunc(p.tasks, func(t task) bool { return recreationName(t.Key()) == name }) ||
		slices.ContainsFunc(p.unserved, func(c child) bool { return recreationName(c.key()) == name })
}

// propagation returns what happens to the dependents of a child that is deleted.
func (c child) propagation() metav1.DeletionPropagation {
	if c.isReplaced && c.keepsDependents {
		return metav1.DeletePropagationOrphan
	}
	return metav1.DeletePropagationBackground
}

// isAdopting reports whether a child is recreated and its new object, nil while there is none, has yet
// to adopt the dependents of the old one.
func (s *subject) isAdopting(kind *childKind, key apply.Key, object client.Object) bool {
	open := s.recreations()
	if len(open) == 0 {
		return false
	}
	old, isOpen := open[recreationName(key)]
	return isOpen && (object == nil || object.GetUID() != old && s.adoptionTime(kind, object) > 0)
}

// adoptionTime returns how long the new object of a child may still take to adopt the dependents of the
// old one; 0: it has. One that is ready by its own status has counted them.
func (s *subject) adoptionTime(kind *childKind, object client.Object) time.Duration {
	saysReady := !kind.Metadata && !kind.isStatusless() && health.Of(object).State == health.Ready
	if saysReady && object.GetDeletionTimestamp() == nil {
		return 0
	}
	return max(0, backoff.Adoption-s.now.Sub(object.GetCreationTimestamp().Time))
}

// splitAdopting returns the undesired children that have yet to adopt dependents, and the others: if
// the former were deleted now, nobody would delete their dependents.
func (s *subject) splitAdopting(undesired []child) (adopting, others []child) {
	for _, child := range undesired {
		if s.isAdopting(child.childKind, child.key(), child.object) {
			adopting = append(adopting, child)
			continue
		}
		others = append(others, child)
	}
	return adopting, others
}

// endAdoptions ends the recreations of children that have adopted the dependents, or that were not
// deleted after all, and of those that are neither among the children nor awaited. It returns when the
// next one may end; 0: when something changes.
func (r *run) endAdoptions(ctx context.Context, children []child, isAwaited func(name string) bool) (next time.Duration, err error) {
	open := r.recreations()
	if len(open) == 0 {
		return 0, nil
	}
	byName := map[string]child{}
	for _, child := range children {
		byName[recreationName(child.key())] = child
	}
	var ended []string
	for _, name := range slices.Sorted(maps.Keys(open)) {
		child, isKnown := byName[name]
		switch {
		case !isKnown && isAwaited(name):
		case !isKnown:
			r.warnAboutDependents(ctx, name)
			ended = append(ended, name)
		case child.object == nil, child.isReplaced, child.object.GetDeletionTimestamp() != nil:
		case child.object.GetUID() == open[name]:
			ended = append(ended, name)
		default:
			left := r.adoptionTime(child.childKind, child.object)
			if left == 0 {
				ended = append(ended, name)
			}
			next = earlier(next, left)
		}
	}
	return next, r.writer.endRecreations(ctx, ended)
}

// reasonOrphaned is the reason of an Event about dependents that nothing adopts.
const reasonOrphaned = "DependentsOrphaned"

// warnAboutDependents says that a child was deleted and is not created again, so that what it owned has
// no owner.
func (s *subject) warnAboutDependents(ctx context.Context, name string) {
	s.warn(ctx, reasonOrphaned, name+" was deleted to be recreated, and is not created again: its dependents stay without an owner")
}
