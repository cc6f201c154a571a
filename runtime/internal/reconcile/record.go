package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// A record is an annotation that the operator writes on a parent which it finalizes, before it
// carries out what the record says. An operator that starts again in the middle reads it. The value
// is the parent's UID, so that a copy of the annotation on another parent means nothing. The
// records go with the finalizer.

// finalizedKey is the record that the author's Finalize has returned Finalized, below the API group
// of the parent. It precedes the first removal of a child: Finalize must not run again and see
// fewer children than it has decided about.
const finalizedKey = "/finalized"

var recordKeys = []string{finalizedKey, orphaningKey}

// hasRecord reports whether the parent has the record of a key.
func (s *subject) hasRecord(key string) bool {
	return s.parent.GetAnnotations()[s.loop.definition.Group+key] == string(s.parent.GetUID())
}

// addRecord writes the record of a key.
func (w *writer) addRecord(ctx context.Context, key string) error {
	if w.hasRecord(key) {
		return nil
	}
	return w.patchParent(ctx, func(parent client.Object) {
		annotations := maps.Clone(parent.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[w.loop.definition.Group+key] = string(parent.GetUID())
		parent.SetAnnotations(annotations)
	})
}

// removeRecords removes the records of a parent that is not finalized any more, since somebody has
// selected it again.
func (w *writer) removeRecords(ctx context.Context) error {
	w.state.finalized = false
	if len(w.recordsOf(w.parent)) == 0 {
		return nil
	}
	return w.patchParent(ctx, w.dropRecords)
}

// recordsOf returns the values of the records that a parent has.
func (s *subject) recordsOf(parent client.Object) (records []string) {
	for _, key := range recordKeys {
		if value, ok := parent.GetAnnotations()[s.loop.definition.Group+key]; ok {
			records = append(records, key, value)
		}
	}
	return records
}

// dropRecords drops the records from a copy of the parent.
func (s *subject) dropRecords(parent client.Object) {
	annotations := maps.Clone(parent.GetAnnotations())
	for _, key := range recordKeys {
		delete(annotations, s.loop.definition.Group+key)
	}
	if !controllerutil.ContainsFinalizer(parent, s.loop.finalizer) {
		delete(annotations, s.loop.definition.Group+recreatingKey)
	}
	parent.SetAnnotations(annotations)
}

// replaceFinalizers writes the finalizer of this operator in the place of those of operators from which
// children were taken over.
func (w *writer) replaceFinalizers(ctx context.Context) error {
	isFormer := func(finalizer string) bool {
		return finalizer != w.loop.finalizer && slices.ContainsFunc(w.loop.childCache.former, func(former formerKeys) bool { return finalizer == finalizerOf(former.group) })
	}
	if !slices.ContainsFunc(w.parent.GetFinalizers(), isFormer) {
		return nil
	}
	return w.patchParent(ctx, func(parent client.Object) {
		parent.SetFinalizers(slices.DeleteFunc(slices.Clone(parent.GetFinalizers()), isFormer))
		controllerutil.AddFinalizer(parent, w.loop.finalizer) // which this reconcile removes if it is not needed
	})
}

// finalizerOf returns the finalizer of an operator below an API group.
func finalizerOf(group string) string { return group + "/finalizer" }

// patchParent writes the parent's finalizers and the runtime's own annotations. The patch contains
// the whole list of finalizers, so it requires that the parent has not changed: otherwise the error is
// stale. A patch that failed is not sent again before its backoff ends.
func (w *writer) patchParent(ctx context.Context, change func(client.Object)) error {
	changed := w.parent.DeepCopyObject().(client.Object)
	change(changed)
	if err := w.sendParentPatch(ctx, changed); err != nil {
		return fmt.Errorf("write the finalizer: %w", err)
	}
	// The annotations of the answer are the operator's own change.
	w.parent.SetAnnotations(changed.GetAnnotations())
	w.recordParentWrite(changed, "metadata.finalizers")
	return nil
}

func (w *writer) sendParentPatch(ctx context.Context, changed client.Object) error {
	budget, desired := &w.state.finalizers, fmt.Sprint(changed.GetFinalizers(), w.recordsOf(changed), changed.GetAnnotations()[w.loop.definition.Group+recreatingKey])
	if err := budget.Replay(w.now, desired, w.parent.GetUID()); err != nil {
		return err
	}
	patch := client.MergeFromWithOptions(w.parent, client.MergeFromWithOptimisticLock{})
	err := w.loop.client.Patch(ctx, changed, patch, client.FieldOwner(w.loop.manager))
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errStale{err}
	case err != nil:
		return budget.Fail(w.now, desired, w.parent.GetUID(), err)
	}
	budget.Succeeded()
	return nil
}
