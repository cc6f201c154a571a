package apply

import (
	"context"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recreate decides by a dry run whether a child that must not be changed in place has to be
// recreated. Other defaults, another version of the operator or a restart recreate nothing. It
// removes dropped fields only after they count as applied.
func (c *childApply) recreate(ctx context.Context, live client.Object) (Outcome, error) {
	d := c.desired
	live, err := c.takeFieldOwnership(ctx, live)
	if err != nil {
		return Outcome{}, err
	}
	dry, err := c.client.applyDesired(ctx, d, live.GetUID(), client.DryRunAll)
	if len(refusedFields(err)) > 0 { // immutable, or invalid: the caller asks whether the new child is accepted
		return Outcome{Action: NeedsRecreation, Object: live}, nil
	}
	return c.updateOrRecreate(ctx, live, dry, err)
}

// restoreHash decides by a dry run whether a child without its hash has this desired state. If it
// does, restoreHash writes the hash again; otherwise it leaves the child as it is.
func (c *childApply) restoreHash(ctx context.Context, live client.Object) (Outcome, error) {
	d := c.desired
	live, err := c.takeFieldOwnership(ctx, live)
	if err != nil {
		return Outcome{}, err
	}
	dry, err := c.client.applyDesired(ctx, d, live.GetUID(), client.DryRunAll)
	differs := len(refusedFields(err)) > 0
	if !differs {
		differs, err = d.dryRunDiffers(live, dry, err)
	}
	switch {
	case differs:
		return Outcome{Action: Unchanged, Object: live}, c.recordOutdated(live)
	case err != nil:
		return Outcome{}, err
	}
	return c.update(ctx, live)
}

// dryRunDiffers reports whether the answer to the dry run of an apply shows that the child has to
// be recreated. It returns ErrStale if the dry run started from another version of the child.
// err is the error of the dry run.
func (d Desired) dryRunDiffers(live, dry client.Object, err error) (bool, error) {
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return false, errConflict{ErrStale{d.Key()}, err}
	case err != nil:
		return false, err
	case dry.GetResourceVersion() != live.GetResourceVersion():
		return false, ErrStale{d.Key()}
	}
	return d.needsRecreation(live, dry)
}

// needsRecreation reports whether a dry run changed a field outside of the metadata, or, if the
// desired state is another one, a label or an annotation of the author. Drift in the metadata
// alone, and the metadata that makes an object the parent's child, are written in place.
func (d Desired) needsRecreation(live, dry client.Object) (bool, error) {
	before, err := contentOf(live)
	if err != nil {
		return false, err
	}
	after, err := contentOf(dry)
	if err != nil {
		return false, err
	}
	if !equalValues(payloadOf(before), payloadOf(after)) {
		return true, nil
	}
	if live.GetAnnotations()[d.HashKey] == d.Hash {
		return false, nil
	}
	liveLabels, liveAnnotations := d.authorMetadata(live)
	dryLabels, dryAnnotations := d.authorMetadata(dry)
	return !maps.Equal(liveLabels, dryLabels) || !maps.Equal(liveAnnotations, dryAnnotations), nil
}

// payloadOf returns an object's content without its identity, metadata and status.
func payloadOf(content map[string]any) map[string]any {
	content = maps.Clone(content)
	for _, name := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(content, name)
	}
	return content
}

// authorMetadata returns the labels and annotations of an object without those that this runtime
// writes, and those that are applied in place.
func (d Desired) authorMetadata(object client.Object) (labels, annotations map[string]string) {
	labels, annotations = maps.Clone(object.GetLabels()), maps.Clone(object.GetAnnotations())
	delete(annotations, d.HashKey)
	delete(annotations, d.AdoptedKey)
	delete(annotations, d.CreatedAsKey)
	delete(annotations, d.DesiredKey)
	maps.DeleteFunc(labels, func(key, _ string) bool { return d.isInPlace("labels", key) })
	maps.DeleteFunc(annotations, func(key, _ string) bool { return d.isInPlace("annotations", key) })
	if d.Ownership == nil {
		return labels, annotations
	}
	ownership := d.Ownership()
	for name, texts := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		own, _ := ownership[name].(map[string]any)
		maps.DeleteFunc(texts, func(key, _ string) bool { _, ok := own[key]; return ok })
	}
	return labels, annotations
}
