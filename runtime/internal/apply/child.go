package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// childApply applies one child once.
type childApply struct {
	childComparer
	client  childClient
	applier *Applier
	gone    error    // a generated value is gone
	lagging *lagging // nil: no field of the child lags behind its desired state
}

// apply brings the child to its desired state. observed is nil if there is no child.
func (c *childApply) apply(ctx context.Context, observed client.Object) (Outcome, error) {
	d := c.desired
	if observed == nil {
		return c.create(ctx)
	}
	if observed.GetDeletionTimestamp() != nil {
		return Outcome{Action: Waiting, Object: observed}, nil
	}
	switch {
	case d.KeepsContent(observed) && !d.hasRecords(observed, c.manager):
		return c.updateOwnership(ctx, observed)
	case !d.Update.Rules().RepairsDrift:
		return Outcome{Action: Unchanged, Object: observed}, nil
	}
	if result, known := c.state.lastResult(c.now, d, observed); known && result == inSync && !d.Rewrite {
		return c.unchanged(observed), nil
	}
	live, err := c.client.readWhole(ctx, d, observed)
	if err == nil {
		live, err = c.generateFor(ctx, observed, live)
	}
	if err != nil {
		return Outcome{}, err
	}
	result, err := c.compareLive(live)
	if err != nil {
		return Outcome{}, err
	}
	return c.applyCompared(ctx, live, result)
}

// applyCompared writes what a comparison with the desired state calls for.
func (c *childApply) applyCompared(ctx context.Context, live client.Object, result syncState) (Outcome, error) {
	d := c.desired
	switch {
	case d.Rewrite && result == inSync && !d.IsOutdated(live), result == unknown:
		return c.applyAll(ctx, live)
	case result == inSync:
		return c.unchanged(live), nil
	case result == hashMissing:
		return c.restoreHash(ctx, live)
	case result == drifted, c.state.returnsToEarlier(c.now, d):
		return c.repeat(ctx, live, c.applyChange)
	}
	return c.applyChange(ctx, live)
}

// applyAll writes the whole desired state to a child whose values may differ because the API
// server alters them. A strategy that recreates does so only if a dry run shows that the new
// child would not be altered again.
func (c *childApply) applyAll(ctx context.Context, live client.Object) (Outcome, error) {
	d := c.desired
	if !d.Update.Rules().Recreates {
		outcome, err := c.update(ctx, live)
		if err == nil && outcome.Action == Updated {
			outcome.Drift = !d.Rewrite && c.state.child(d.Key()).altered == nil
		}
		return outcome, err
	}
	dry, err := c.client.applyDesired(ctx, d, live.GetUID(), client.DryRunAll)
	if len(refusedFields(err)) > 0 {
		err = c.recordApplied(live)
		return c.unchanged(live), err
	}
	return c.updateOrRecreate(ctx, live, dry, err)
}

// updateOrRecreate updates a child for which the dry run of an apply shows no difference but in its
// metadata, and of which no other field lags behind the desired state. Otherwise the child needs recreation.
func (c *childApply) updateOrRecreate(ctx context.Context, live, dry client.Object, err error) (Outcome, error) {
	differs, err := c.desired.dryRunDiffers(live, dry, err)
	if err == nil && !differs {
		err = c.findLagging(ctx, live)
		differs = c.lagging.isInContent()
	}
	switch {
	case err != nil:
		return Outcome{}, err
	case differs:
		return Outcome{Action: NeedsRecreation, Object: live}, nil
	}
	return c.update(ctx, live)
}

// applyChange writes the desired state to a child that differs from it, as the strategy says.
func (c *childApply) applyChange(ctx context.Context, live client.Object) (Outcome, error) {
	if c.desired.Update.Rules().Recreates {
		return c.recreate(ctx, live)
	}
	if err := c.findLagging(ctx, live); err != nil {
		return Outcome{}, err
	}
	last := c.state.childWithUID(c.desired.Key(), live)
	if steps, ok := c.valuePatch(live); ok && c.lagging == nil && (last == nil || last.altered == nil) {
		return c.patchValues(ctx, live, steps)
	}
	return c.update(ctx, live)
}

// resolveNameConflict decides about an object that has the child's name when the child is
// created. It applies the object if it is the parent's, and adopts it if the policy allows that.
// Otherwise it returns ErrNameConflict.
func (c *childApply) resolveNameConflict(ctx context.Context) (Outcome, error) {
	d, key := c.desired, c.desired.Key()
	live, err := c.client.readLive(ctx, d.Name)
	if apierrors.IsNotFound(err) {
		return Outcome{}, ErrStale{key}
	}
	if err != nil {
		return Outcome{}, err
	}
	holder, known := c.applier.holderOf(live, d.Group), c.state.childWithUID(key, live) != nil
	isDisowned := holder == "" && known
	isUnowned := holder == "" || c.applier.isOnlyOwner(live, d.Owner)
	switch {
	case d.HasLostMarks != nil && (d.HasLostMarks(live, known) || !known && c.applier.isChildOf(live, d.Owner)):
		return Outcome{}, ErrUnobserved{key, live}
	case c.applier.isChildOf(live, d.Owner), isDisowned && live.GetDeletionTimestamp() == nil: // else nothing says when it is gone
		c.desired = d.keptBy(live, c.state, c.manager)
		return c.apply(ctx, live)
	case known && d.mayAdopt(live, isUnowned): // another controller took it from this parent
		return c.repeat(ctx, live, c.adopt)
	case d.mayAdopt(live, isUnowned):
		return c.adopt(ctx, live)
	}
	conflict := ErrNameConflict{Key: key, Holder: holder, Object: live}
	if isUnowned {
		conflict.Holder = ""
	}
	if c.applier.CopiedBy != nil {
		if conflict.CopiedBy = c.applier.CopiedBy(live); d.namesAnother(live) {
			conflict.Names = d.CreatedAsKey
		}
	}
	return Outcome{}, conflict
}

// update applies the desired state to the live child. The UID in the patch keeps the API server
// from creating a new child if the live one is gone.
func (c *childApply) update(ctx context.Context, live client.Object) (Outcome, error) {
	d := c.desired
	upgraded, err := c.takeFieldOwnership(ctx, live)
	if err == nil {
		err = c.client.emptyObjects(ctx, d, upgraded)
	}
	if err != nil {
		return Outcome{}, err
	}
	answer, err := c.applyWithLagging(ctx, live)
	if apierrors.IsInvalid(err) {
		answer, err = invalidApply{c.client, d, live}.retryOverInvalidating(ctx, err)
	}
	outcome, err := c.client.outcomeOf(ctx, d, live, answer, err)
	if err != nil || outcome.Action == NeedsRecreation {
		return outcome, err
	}
	owned, err := c.readOwned(answer)
	if err != nil {
		return Outcome{}, err
	}
	if outcome.Action == Updated && owned.lacksObject { // another apply creates it, with its defaults
		if answer, err = c.client.applyDesired(ctx, d, live.GetUID()); err != nil {
			return Outcome{}, err
		}
	}
	if outcome.Object, err = c.client.removeGeneratedOwners(ctx, d, answer); err != nil {
		return Outcome{}, err
	}
	err = c.recordApplied(outcome.Object)
	outcome.Altered = c.state.alteredPaths(d)
	return outcome, err
}

// create creates the child with POST, which costs the API server less than an apply and is
// refused for a name conflict, too. Defaults become part of what we own; takeFieldOwnership
// removes them from it once the desired state drops a field.
func (c *childApply) create(ctx context.Context) (Outcome, error) {
	createOnce := func(ctx context.Context, _ client.Object) (outcome Outcome, err error) {
		if _, err = c.generate(nil); err != nil {
			return Outcome{}, err
		}
		object, err := c.client.createChild(ctx, c.desired)
		if apierrors.IsAlreadyExists(err) {
			return c.resolveNameConflict(ctx)
		}
		if err != nil {
			return Outcome{}, err
		}
		err = c.recordApplied(object)
		return Outcome{Action: Created, Object: object, Altered: c.state.alteredPaths(c.desired)}, err
	}
	if c.state.isRepeatedCreate(c.desired) {
		return c.repeat(ctx, nil, createOnce)
	}
	return createOnce(ctx, nil)
}

// unchanged returns the outcome for a child that needs no write.
func (c *childComparer) unchanged(object client.Object) Outcome {
	return Outcome{Action: Unchanged, Object: object, Altered: c.state.alteredPaths(c.desired)}
}

func uidOf(object client.Object) types.UID {
	if object == nil {
		return ""
	}
	return object.GetUID()
}
