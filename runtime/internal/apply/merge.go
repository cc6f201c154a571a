package apply

import (
	"context"
	"encoding/json"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// merge writes metadata of an object that an apply cannot, or must not. The write
// is refused if the object is no longer what was observed; then the error is
// ErrStale.
func (a *Applier) merge(ctx context.Context, key Key, observed client.Object, metadata map[string]any) (client.Object, error) {
	metadata = maps.Clone(metadata)
	metadata["uid"], metadata["resourceVersion"] = observed.GetUID(), observed.GetResourceVersion()
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, err
	}
	answer, err := a.send(ctx, key.Name, types.MergePatchType, body)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil, errConflict{ErrStale{key}, err}
	}
	return answer, err
}
