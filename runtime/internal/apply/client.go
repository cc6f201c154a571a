package apply

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// childClient sends the requests about children of one kind.
type childClient struct {
	client.Writer
	live      client.Reader
	manager   string
	newObject func() client.Object
}

// readLive reads the object that has a child's name from the API server.
func (c childClient) readLive(ctx context.Context, name types.NamespacedName) (client.Object, error) {
	object := c.newObject()
	return object, c.live.Get(ctx, name, object)
}

// readSame reads an observed child from the API server. It returns ErrStale if the child is gone.
func (c childClient) readSame(ctx context.Context, d Desired, observed client.Object) (client.Object, error) {
	live, err := c.readLive(ctx, d.Name)
	if apierrors.IsNotFound(err) || err == nil && live.GetUID() != observed.GetUID() {
		return nil, ErrStale{d.Key()}
	}
	return live, err
}

// readWhole returns an observed child with all its fields. It reads the child from the API
// server if the cache holds only its metadata.
func (c childClient) readWhole(ctx context.Context, d Desired, observed client.Object) (client.Object, error) {
	if _, partial := observed.(*metav1.PartialObjectMetadata); !partial {
		return observed, nil
	}
	return c.readSame(ctx, d, observed)
}

// applyDesired applies the desired state to the child with a UID by server-side apply, and takes
// fields over from other field managers.
func (c childClient) applyDesired(ctx context.Context, d Desired, uid types.UID, options ...client.PatchOption) (client.Object, error) {
	return c.applyIf(ctx, d, "uid", string(uid), options...)
}

// applyIf is applyDesired with a field of the metadata as the precondition.
func (c childClient) applyIf(ctx context.Context, d Desired, field, value string, options ...client.PatchOption) (client.Object, error) {
	body, err := d.patchBody(field, value)
	if err != nil {
		return nil, err
	}
	return c.patchChild(ctx, d.Name, types.ApplyPatchType, body, append(options, client.ForceOwnership)...)
}

// isCreatable reports whether the API server accepts the desired state as a new object, by a dry
// run. If it does, an update that validation refuses changes an immutable field.
func (c childClient) isCreatable(ctx context.Context, d Desired) bool {
	_, err := c.createDryRun(ctx, d.asNew())
	return err == nil || isCausedByDryRunName(err)
}

// createDryRun returns the child as the API server would create it, beside the one that exists.
func (c childClient) createDryRun(ctx context.Context, d Desired) (client.Object, error) {
	return c.createChild(ctx, d.withDryRunName(), client.DryRunAll)
}

// withDryRunName returns the desired state under a name that a dry run can create beside the child.
func (d Desired) withDryRunName() Desired {
	content, metadata := d.cloneContent()
	d.Name.Name = strings.TrimRight(d.Name.Name[:min(len(d.Name.Name), 50)], ".-") + "-dry-run"
	metadata["name"] = d.Name.Name
	d.content = func() map[string]any { return content }
	return d
}

// patchChild patches the child with a name, and returns the API server's answer.
func (c childClient) patchChild(ctx context.Context, name types.NamespacedName, kind types.PatchType, body []byte, options ...client.PatchOption) (client.Object, error) {
	answer := c.newObject()
	answer.SetName(name.Name)
	answer.SetNamespace(name.Namespace)
	return answer, c.Patch(ctx, answer, client.RawPatch(kind, body), append(options, client.FieldOwner(c.manager))...)
}

// patchMetadata merges metadata into an observed object that an apply cannot or must not write.
// It returns ErrStale if the object has changed since it was observed.
func (c childClient) patchMetadata(ctx context.Context, key Key, observed client.Object, metadata map[string]any) (client.Object, error) {
	metadata = maps.Clone(metadata)
	metadata["uid"], metadata["resourceVersion"] = observed.GetUID(), observed.GetResourceVersion()
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, err
	}
	answer, err := c.patchChild(ctx, key.Name, types.MergePatchType, body)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil, errConflict{ErrStale{key}, err}
	}
	return answer, err
}

// writeManagedFields writes the managedFields of an object. It returns ErrStale if the object has
// changed since it was read.
func (c childClient) writeManagedFields(ctx context.Context, d Desired, object client.Object) (client.Object, error) {
	return c.patchMetadata(ctx, d.Key(), object, map[string]any{"managedFields": object.GetManagedFields()})
}

// outcomeOf returns what a write to the live child did, by the API server's answer.
func (c childClient) outcomeOf(ctx context.Context, d Desired, live, answer client.Object, err error) (Outcome, error) {
	switch {
	case apierrors.IsConflict(err):
		return Outcome{}, errConflict{ErrStale{d.Key()}, err}
	case apierrors.IsInvalid(err):
		return invalidApply{c, d, live}.outcome(ctx, err)
	case err != nil:
		return Outcome{}, err
	case answer.GetResourceVersion() == live.GetResourceVersion():
		return Outcome{Action: Unchanged, Object: answer}, nil
	}
	return Outcome{Action: Updated, Object: answer}, nil
}
