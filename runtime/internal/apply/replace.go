package apply

import (
	"context"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replace decides what to do with a child that must not be changed in place.
// A dry run tells whether there is anything to change: other defaults, another
// version of the operator or the loss of the memo replace nothing. It takes away
// what desired drops only once that counts as applied.
func (a *Applier) replace(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	live, err := a.upgrade(ctx, memo, d, live)
	if err != nil {
		return Outcome{}, err
	}
	dry, err := a.patch(ctx, d, "uid", string(live.GetUID()), client.DryRunAll)
	if len(refusedFields(err)) > 0 && a.creatable(ctx, d) {
		return Outcome{Action: Replace, Object: live}, nil
	}
	differs, err := isAnother(d, live, dry, err)
	if err != nil {
		return Outcome{}, err
	}
	if differs {
		return Outcome{Action: Replace, Object: live}, nil
	}
	return a.update(ctx, now, memo, d, live)
}

// ask decides by a dry run whether a child that has lost its hash is of this
// desired state. Then it gets the hash back; otherwise it stays as it is.
func (a *Applier) ask(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	live, err := a.upgrade(ctx, memo, d, live)
	if err != nil {
		return Outcome{}, err
	}
	dry, err := a.patch(ctx, d, "uid", string(live.GetUID()), client.DryRunAll)
	differs := len(refusedFields(err)) > 0
	if !differs {
		differs, err = isAnother(d, live, dry, err)
	}
	switch {
	case differs:
		return Outcome{Action: Unchanged, Object: live}, a.leave(memo, d, live)
	case err != nil:
		return Outcome{}, err
	}
	return a.update(ctx, now, memo, d, live)
}

// isAnother reports whether the dry run of an apply to a child calls for another
// child. err is what the dry run failed with.
func isAnother(d Desired, live, dry client.Object, err error) (bool, error) {
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return false, errConflict{ErrStale{d.Key()}, err}
	case err != nil:
		return false, err
	case dry.GetResourceVersion() != live.GetResourceVersion():
		return false, ErrStale{d.Key()} // the difference may be someone else's change
	}
	return differ(d, live, dry)
}

// differ tells whether a dry run changed anything that calls for a new child:
// any field outside of the metadata, or a label or annotation of the author's if
// the desired state itself has changed. Drift in the metadata alone is repaired in
// place, and so is what makes an object the parent's child.
func differ(d Desired, live, dry client.Object) (bool, error) {
	before, err := contentOf(live)
	if err != nil {
		return false, err
	}
	after, err := contentOf(dry)
	if err != nil {
		return false, err
	}
	if !equal(payload(before), payload(after)) {
		return true, nil
	}
	if live.GetAnnotations()[d.HashKey] == d.Hash {
		return false, nil
	}
	liveLabels, liveAnnotations := d.authored(live)
	dryLabels, dryAnnotations := d.authored(dry)
	return !maps.Equal(liveLabels, dryLabels) || !maps.Equal(liveAnnotations, dryAnnotations), nil
}

// payload is an object's content without its identity, metadata and status.
func payload(content map[string]any) map[string]any {
	content = maps.Clone(content)
	for _, name := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(content, name)
	}
	return content
}

// authored returns the labels and annotations of an object without those that this
// runtime writes.
func (d Desired) authored(object client.Object) (labels, annotations map[string]string) {
	labels, annotations = maps.Clone(object.GetLabels()), maps.Clone(object.GetAnnotations())
	delete(annotations, d.HashKey)
	if d.Ownership == nil {
		return labels, annotations
	}
	ours := d.Ownership()
	for name, texts := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		own, _ := ours[name].(map[string]any)
		maps.DeleteFunc(texts, func(key, _ string) bool { _, ok := own[key]; return ok })
	}
	return labels, annotations
}
