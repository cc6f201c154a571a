package apply

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Marks are the labels and annotations that an orphaned child loses, and annotations that it gets.
type Marks struct {
	Labels, Annotations []string
	Added               map[string]string
}

// OrphanChild orphans a child: it removes the reference to the owner and the marks. It returns
// ErrStale if the child has changed since it was observed.
func (a *Applier) OrphanChild(ctx context.Context, key Key, live client.Object, owner types.UID, marks Marks) error {
	references := slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner
	})
	metadata := map[string]any{"ownerReferences": references}
	if dropped := nullEntries(marks.Labels, live.GetLabels()); len(dropped) > 0 {
		metadata["labels"] = dropped
	}
	annotations := nullEntries(marks.Annotations, live.GetAnnotations())
	for key, value := range marks.Added {
		annotations[key] = value
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	_, err := a.newClient().patchMetadata(ctx, key, live, metadata)
	return err
}

// nullEntries returns the part of a merge patch that removes these keys from a map.
func nullEntries(keys []string, from map[string]string) map[string]any {
	dropped := map[string]any{}
	for _, key := range keys {
		if _, ok := from[key]; ok {
			dropped[key] = nil
		}
	}
	return dropped
}
