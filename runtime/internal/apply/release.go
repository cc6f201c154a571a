package apply

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Release makes a child nobody's: it stays as it is, without the reference to
// its owner and without the labels and annotations that are named. The write is refused if
// the child is no longer what was observed; then the error is ErrStale.
func (a *Applier) Release(ctx context.Context, key Key, live client.Object, owner types.UID, labels, annotations []string) error {
	references := slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner
	})
	metadata := map[string]any{"ownerReferences": references}
	if dropped := nulls(labels, live.GetLabels()); len(dropped) > 0 {
		metadata["labels"] = dropped
	}
	if dropped := nulls(annotations, live.GetAnnotations()); len(dropped) > 0 {
		metadata["annotations"] = dropped
	}
	_, err := a.merge(ctx, key, live, metadata)
	return err
}

// nulls is the part of a merge patch that takes these keys out of a map.
func nulls(keys []string, from map[string]string) map[string]any {
	dropped := map[string]any{}
	for _, key := range keys {
		if _, ok := from[key]; ok {
			dropped[key] = nil
		}
	}
	return dropped
}
