package reconcile

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
func (r *run) hasRecord(key string) bool {
	return r.parent.GetAnnotations()[r.loop.definition.Group+key] == string(r.parent.GetUID())
}

// addRecord writes the record of a key.
func (r *run) addRecord(ctx context.Context, key string) error {
	if r.hasRecord(key) {
		return nil
	}
	return r.patchParent(ctx, func(parent client.Object) {
		annotations := maps.Clone(parent.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[r.loop.definition.Group+key] = string(parent.GetUID())
		parent.SetAnnotations(annotations)
	})
}

// removeRecords removes the records of a parent that is not finalized any more, since somebody has
// selected it again.
func (r *run) removeRecords(ctx context.Context) error {
	r.state.finalized = false
	if len(r.recordsOf(r.parent)) == 0 {
		return nil
	}
	return r.patchParent(ctx, r.dropRecords)
}

// recordsOf returns the values of the records that a parent has.
func (r *run) recordsOf(parent client.Object) (records []string) {
	for _, key := range recordKeys {
		if value, ok := parent.GetAnnotations()[r.loop.definition.Group+key]; ok {
			records = append(records, key, value)
		}
	}
	return records
}

// dropRecords drops the records from a copy of the parent.
func (r *run) dropRecords(parent client.Object) {
	annotations := maps.Clone(parent.GetAnnotations())
	for _, key := range recordKeys {
		delete(annotations, r.loop.definition.Group+key)
	}
	parent.SetAnnotations(annotations)
}

// patchParent writes the parent's finalizers and the runtime's own annotations. The patch contains
// the whole list of finalizers, so it requires that the parent has not changed: otherwise the error is
// stale. A patch that failed is not sent again before its backoff ends.
func (r *run) patchParent(ctx context.Context, change func(client.Object)) error {
	changed := r.parent.DeepCopyObject().(client.Object)
	change(changed)
	if err := r.sendParentPatch(ctx, changed); err != nil {
		return fmt.Errorf("write the finalizer: %w", err)
	}
	// The annotations of the answer are the operator's own change.
	r.parent.SetAnnotations(changed.GetAnnotations())
	r.recordParentWrite(changed, "metadata.finalizers")
	return nil
}

func (r *run) sendParentPatch(ctx context.Context, changed client.Object) error {
	budget, desired := &r.state.finalizers, fmt.Sprint(changed.GetFinalizers(), r.recordsOf(changed))
	if err := budget.Replay(r.now, desired, r.parent.GetUID()); err != nil {
		return err
	}
	patch := client.MergeFromWithOptions(r.parent, client.MergeFromWithOptimisticLock{})
	err := r.loop.client.Patch(ctx, changed, patch, client.FieldOwner(r.loop.manager))
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errStale{err}
	case err != nil:
		return budget.Fail(r.now, desired, r.parent.GetUID(), err)
	}
	budget.Succeeded()
	return nil
}
