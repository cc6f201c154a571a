package apply

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OrphanChild orphans a child: it removes the reference to the owner, and the labels and
// annotations that are named. It returns ErrStale if the child has changed since it was observed.
func (a *Applier) OrphanChild(ctx context.Context, key Key, live client.Object, owner types.UID, labels, annotations []string) error {
	references := slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner
	})
	metadata := map[string]any{"ownerReferences": references}
	if dropped := nullEntries(labels, live.GetLabels()); len(dropped) > 0 {
		metadata["labels"] = dropped
	}
	if dropped := nullEntries(annotations, live.GetAnnotations()); len(dropped) > 0 {
		metadata["annotations"] = dropped
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
