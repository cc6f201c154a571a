package reconcile

import (
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// patchedWithout returns the objects that are patched for the parent, without those of keys.
func (o *observed) patchedWithout(keys map[apply.Key]bool) []patchedObject {
	return slices.DeleteFunc(slices.Clone(o.patched), func(patched patchedObject) bool { return keys[patched.key()] })
}

// patchedNow returns the objects that are patched for the parent after what the reconcile has written.
func (r *run) patchedNow(observed *observed) []patchedObject {
	all := slices.Clone(observed.patched)
	for _, patch := range r.patches.desired {
		isKnown := func(other patchedObject) bool { return other.object.GetUID() == patch.object.GetUID() }
		if !slices.ContainsFunc(all, isKnown) {
			all = append(all, patch.patchedObject)
		}
	}
	return slices.DeleteFunc(all, func(patched patchedObject) bool {
		object := patched.object
		if written := r.writer.patched[object.GetUID()]; written != nil {
			object = written
		}
		return !r.loop.patchMarks.IsPatchedFor(object, r.parent.GetUID())
	})
}

// removePatches removes the fields that the parent has in objects, each whatever becomes of the others.
func (r *run) removePatches(ctx context.Context, objects []patchedObject) error {
	var failed []error
	for _, patched := range objects {
		left, err := r.loop.removePatch(ctx, &r.state.patches, patched, r.parent.GetUID())
		if err != nil {
			failed = append(failed, errPatch{patched.key(), err})
			continue
		}
		if left == nil {
			left = patched.object
			r.writer.recordRelated(patched.GroupVersionKind, left, r.state.writes.RecordDeletion)
			continue
		}
		r.writer.recordPatch(patched, left)
	}
	return staleOrJoined(failed...)
}

// removePatch removes the fields that a parent has in an object. It returns the object; nil if it is gone.
func (l *loop) removePatch(ctx context.Context, state *apply.AppliedState, patched patchedObject, parent types.UID) (client.Object, error) {
	none, err := l.noPatch(patched, parent)
	if err != nil {
		return nil, err
	}
	left, refusal, err := l.patcher(patched.relatedKind, parent).RemovePatch(ctx, l.now(), state, none, patched.object)
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		log.FromContext(ctx).Info("the fields of a patch stay without an owner, since the API server does not let them go", "object", patched.key().String(), "reason", refusal.Error())
	default:
		log.FromContext(ctx).V(1).Info("removed a patch", "object", patched.key().String())
	}
	l.environment.Metrics.CountRelatedPatch(l.definition.Name, patched.GroupVersionKind.Kind)
	return left, nil
}

// noPatch returns the patch of an object that sets nothing. Its Ownership removes the marks of a parent
// without an apply; the label stays while there is another parent.
func (l *loop) noPatch(patched patchedObject, parent types.UID) (apply.Desired, error) {
	key, marks := patched.key(), map[string]any{"annotations": map[string]any{l.patchMarks.Annotation(parent): nil}}
	if len(managedfields.PatchingParents(patched.object, l.manager)) < 2 {
		marks["labels"] = map[string]any{l.patchMarks.Label: nil}
	}
	return apply.NewPatch(apply.Desired{Kind: key.Kind, Name: key.Name, Owner: parent, Ownership: func() map[string]any { return marks }}, map[string]any{})
}

// releasePatches leaves the fields that a disconnected parent has in objects as they are, without an owner.
func (r *run) releasePatches(ctx context.Context, objects []patchedObject) error {
	var failed []error
	for _, patched := range objects {
		none, err := r.loop.noPatch(patched, r.parent.GetUID())
		if err != nil {
			return err
		}
		left, err := r.loop.patcher(patched.relatedKind, r.parent.GetUID()).ReleasePatch(ctx, none, patched.object)
		switch {
		case err != nil:
			failed = append(failed, errPatch{patched.key(), err})
		case left != nil:
			r.writer.recordPatch(patched, left)
		}
	}
	return staleOrJoined(failed...)
}

// recordPatch records a related object as a patch left it.
func (w *writer) recordPatch(patched patchedObject, object client.Object) {
	w.recordRelated(patched.GroupVersionKind, object, w.state.writes.RecordWrite)
	w.names = append(w.names, patched.key().String())
	if w.patched == nil {
		w.patched = map[types.UID]client.Object{}
	}
	w.patched[object.GetUID()] = object
}

// removeLeakedPatches removes the patches of parents of a name that are gone, without that of the UID that
// lives. It keeps those of another operator's parents, as the cleanup of children does. Errors are stale
// if the cache does not show yet what earlier reconciles have removed.
func (l *loop) removeLeakedPatches(ctx context.Context, name types.NamespacedName, living types.UID) error {
	found, err := l.findLeakedPatches(name, living)
	if len(found) == 0 || err != nil {
		return err
	}
	if state := l.states.get(name); state != nil && state.writes.HasPending() {
		if err := l.checkSeen(ctx, state); err != nil {
			return err
		}
		if found, err = l.findLeakedPatches(name, living); len(found) == 0 || err != nil {
			return err
		}
	}
	current, err := l.liveUID(ctx, name)
	if err != nil {
		return err
	}
	var failures []error
	for _, leaked := range found {
		if leaked.parent == current {
			continue
		}
		if _, err := l.removePatch(ctx, new(apply.AppliedState), leaked.patchedObject, leaked.parent); err != nil && !isStale(err) {
			failures = append(failures, errPatch{leaked.key(), err})
		}
	}
	return errors.Join(failures...)
}

// leakedPatch is a patch for a parent that may be gone.
type leakedPatch struct {
	patchedObject
	parent types.UID
}

// findLeakedPatches returns the patches for parents of a name, without those for the UID that lives.
func (l *loop) findLeakedPatches(name types.NamespacedName, living types.UID) (found []leakedPatch, err error) {
	if !l.shard.Empty() {
		return nil, nil
	}
	text := ownership.Parent{Kind: l.parentKind.GroupVersionKind, Name: name}.String()
	for _, kind := range l.relatedKinds {
		if kind.patched == nil || !kind.isServed() {
			continue
		}
		objects, err := kind.patched.listBy(byPatchingName, text)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			for uid, parent := range l.patchMarks.Parents(object) {
				isListed := slices.ContainsFunc(found, func(other leakedPatch) bool {
					return other.parent == uid && other.object.GetUID() == object.GetUID()
				})
				if parent == text && uid != living && object.GetDeletionTimestamp() == nil && !isListed {
					found = append(found, leakedPatch{patchedObject{kind, object}, uid})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b leakedPatch) int { return strings.Compare(a.key().String(), b.key().String()) })
	return found, nil
}
