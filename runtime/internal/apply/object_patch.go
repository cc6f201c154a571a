package apply

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// A patch sets fields of an object that is no child, by a field manager of its own: only these fields are
// compared, repaired and, once they are left out, removed. It is always an apply, so that managedFields
// have all that was ever set, and needs no hash. The UID in it keeps the API server from creating an
// object.

// NewPatch completes the desired fields of an object of others.
func NewPatch(d Desired, content map[string]any) (Desired, error) {
	d, err := NewDesired(d, content)
	d.Hash = "" // the object carries none
	return d, err
}

// Digest sums up all that is desired.
func (d Desired) Digest() string { return d.digest }

// ApplyPatch brings the fields of an object to what is desired of them. It takes them over from other
// field managers, as an apply of a child does.
func (a *Applier) ApplyPatch(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object) (Outcome, error) {
	return a.attempt(ctx, now, state, d, observed, (*childApply).applyPatch)
}

func (c *childApply) applyPatch(ctx context.Context, observed client.Object) (Outcome, error) {
	if observed.GetDeletionTimestamp() != nil {
		return Outcome{Action: Waiting, Object: observed}, nil
	}
	isNew := c.state.childWithUID(c.desired.Key(), observed) == nil && managedfields.Entry(observed, c.manager, metav1.ManagedFieldsOperationApply, "") == nil
	if isNew {
		return c.writePatch(ctx, observed)
	}
	result, err := c.compareLive(observed)
	switch {
	case err != nil:
		return Outcome{}, err
	case result == inSync:
		return c.unchanged(observed), nil
	case result == drifted, c.state.returnsToEarlier(c.now, c.desired):
		return c.repeat(ctx, observed, c.writePatch)
	}
	return c.writePatch(ctx, observed)
}

// writePatch applies the desired fields to an object.
func (c *childApply) writePatch(ctx context.Context, observed client.Object) (Outcome, error) {
	d := c.desired
	answer, err := c.client.applyDesired(ctx, d, observed.GetUID())
	if err != nil {
		return Outcome{}, staleIfReplaced(d.Key(), err)
	}
	outcome := Outcome{Action: Updated}
	if answer.GetResourceVersion() == observed.GetResourceVersion() {
		outcome.Action = Unchanged
	}
	if outcome.Object, err = c.client.removeGeneratedOwners(ctx, d, answer); err != nil {
		return Outcome{}, err
	}
	err = c.recordApplied(c.applier.asCached(outcome).Object)
	outcome.Altered = c.state.alteredPaths(d)
	return outcome, err
}

// RemovePatch removes the fields that the field manager has applied to an object, unless the last attempt
// failed and the next is not due. It returns the object; nil if that is gone, and the name may be
// another's. If the API server refuses the removal as invalid, as it does not let a claim shrink, the
// fields stay and lose their owner; refusal says why.
func (a *Applier) RemovePatch(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object) (left client.Object, refusal error, err error) {
	err = state.Delete(now, d.Key(), observed, func() error {
		left, refusal, err = a.removePatch(ctx, d, observed)
		return err
	})
	return left, refusal, err
}

func (a *Applier) removePatch(ctx context.Context, d Desired, observed client.Object) (left client.Object, refusal, err error) {
	c := a.newClient()
	answer, err := c.applyDesired(ctx, d, observed.GetUID())
	switch {
	case err == nil:
		return a.asCached(Outcome{Object: answer}).Object, nil, nil
	case isReplaced(err):
		return nil, nil, nil
	case len(refusedFields(err)) == 0: // a webhook may accept it later
		return nil, nil, err
	}
	refusal = err
	left, err = a.ReleasePatch(ctx, d, observed)
	return left, refusal, err
}

// ReleasePatch leaves the fields that the field manager has applied to an object as they are, without an
// owner. The marks of d go. It returns nil for an object that is gone.
func (a *Applier) ReleasePatch(ctx context.Context, d Desired, observed client.Object) (client.Object, error) {
	c := a.newClient()
	live, err := c.readLive(ctx, d.Name)
	if apierrors.IsNotFound(err) || err == nil && live.GetUID() != observed.GetUID() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries := slices.DeleteFunc(slices.Clone(live.GetManagedFields()), func(entry metav1.ManagedFieldsEntry) bool { return managedfields.IsEntryOf(entry, a.Manager) })
	if len(entries) == 0 {
		entries = []metav1.ManagedFieldsEntry{{}} // an empty list keeps all entries
	}
	metadata := map[string]any{"managedFields": entries}
	for name, value := range d.Ownership() {
		metadata[name] = value
	}
	answer, err := c.patchMetadata(ctx, d.Key(), live, metadata)
	if err != nil {
		return nil, err
	}
	return a.asCached(Outcome{Object: answer}).Object, nil
}

// staleIfReplaced returns the error of an apply as [ErrStale] if it says that the object is gone, or is
// another one.
func staleIfReplaced(key Key, err error) error {
	if isReplaced(err) {
		return errConflict{ErrStale{key}, err}
	}
	return err
}

// isReplaced reports whether an apply was refused since no object has the UID in it.
func isReplaced(err error) bool {
	isOther := slices.ContainsFunc(refusedFields(err), func(field refusedField) bool { return field.name == "metadata.uid" })
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || isOther
}

// HeldField is a field of an object that another operator of this runtime has applied.
type HeldField struct {
	Path    string
	Manager string
}

// FindHeld returns a desired field that an object has with another value, which the field manager does not
// own, and another operator of this runtime or another parent does. It returns false if there is none.
func (a *Applier) FindHeld(d Desired, observed client.Object) (HeldField, bool) {
	content, err := contentOf(observed)
	if err != nil {
		return HeldField{}, false
	}
	own := managedfields.Parse(managedfields.Entry(observed, a.Manager, metav1.ManagedFieldsOperationApply, ""))
	for _, entry := range observed.GetManagedFields() {
		if entry.Manager == a.Manager || entry.FieldsV1 == nil || entry.Subresource != "" || !managedfields.IsOfARuntime(entry.Manager) {
			continue
		}
		theirs := managedfields.Parse(managedfields.Restore(observed, entry.FieldsV1.GetRawBytes()))
		path := ""
		enter := func(p *managedfields.Node) bool {
			differs := p.Below == nil && p.Desired.Exists && !isSame(p.Desired.Value, p.Live.Value, d.isBuiltin())
			if differs && path == "" && !managedfields.Has(own, p.Path()) {
				path = p.String()
			}
			return p.Desired.Exists
		}
		managedfields.Rules{Enter: enter}.Walk(theirs, d.fields(), content)
		if path != "" {
			return HeldField{path, entry.Manager}, true
		}
	}
	return HeldField{}, false
}
