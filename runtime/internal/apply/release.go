package apply

import (
	"context"
	"encoding/json"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Release makes a child nobody's: it stays as it is, without the reference to
// its owner and without the annotations that are named. The write is refused if
// the child is no longer what was observed; then the error is ErrStale.
func (a *Applier) Release(ctx context.Context, key Key, live client.Object, owner types.UID, annotations ...string) error {
	references := slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner
	})
	metadata := map[string]any{
		"uid": live.GetUID(), "resourceVersion": live.GetResourceVersion(), "ownerReferences": references,
	}
	dropped := map[string]any{}
	for _, name := range annotations {
		if _, ok := live.GetAnnotations()[name]; ok {
			dropped[name] = nil
		}
	}
	if len(dropped) > 0 {
		metadata["annotations"] = dropped
	}
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = a.send(ctx, key.Name, types.MergePatchType, body)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return ErrStale{key}
	}
	return err
}
