package apply

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// The metadata that makes an object a child also records the options that decide what becomes of it. It does
// not wait for the rest of the desired state, which the API server may refuse for ever.

// KeepsContent reports whether the strategy keeps the desired state from an observed child, so that only its
// metadata is written.
func (d Desired) KeepsContent(observed client.Object) bool {
	rules := d.Update.Rules()
	return !rules.RepairsDrift || !rules.WritesChanges && d.IsOutdated(observed)
}

// hasRecords reports whether an object has the metadata that makes it the parent's child, and what is applied
// in place.
func (d Desired) hasRecords(live client.Object, manager string) bool {
	return d.hasOwnership(live) && d.inPlacePatch(live, manager).isEmpty()
}

// UpdateRecords writes what UpdateOwnership writes to a child whose desired state was refused, or whose write
// waits. The failure of that write stays as it is. UpdateRecords returns nil for the object if nothing was to
// be written, and otherwise what [Applier.RestoreMarks] returns.
func (a *Applier) UpdateRecords(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object,
) (client.Object, *backoff.Conflict, error) {
	d = d.keptBy(observed, state, a.Manager)
	if observed.GetDeletionTimestamp() != nil || d.hasRecords(observed, a.Manager) {
		return nil, nil, nil
	}
	metadata, err := a.newApply(now, state, d).metadataPatch(ctx, observed)
	if err != nil {
		return nil, nil, err
	}
	ownership := d.Ownership()
	return a.writeMarks(ctx, now, &state.budgetOf(d.Key()).records, marks{d.Key(), fmt.Sprint(d.digest, ownership), ownership, metadata}, observed)
}

// RestoreMarks writes the metadata that makes an object a parent's child to an object that has lost
// part of it, and nothing else, and returns the object. It writes nothing and returns why if that
// was done before and does not last. It returns ErrStale if the object has changed since it was
// read. Another error is a [backoff.Failed]. The fields of the field managers in from are taken over.
func (a *Applier) RestoreMarks(ctx context.Context, now time.Time, b *backoff.Budget, key Key, live client.Object, owner types.UID, ownership map[string]any, from ...string,
) (client.Object, *backoff.Conflict, error) {
	_, metadata, err := a.planTakeover(live, owner, from, ownership)
	if err != nil {
		return nil, nil, err
	}
	return a.writeMarks(ctx, now, b, marks{key, "marks", ownership, metadata}, live)
}

// marks are metadata to write to a child.
type marks struct {
	key       Key
	state     string         // names these marks in a budget
	ownership map[string]any // that makes an object the child
	patch     map[string]any // of the object
}

// writeMarks writes marks to an object, as RestoreMarks describes it.
func (a *Applier) writeMarks(ctx context.Context, now time.Time, b *backoff.Budget, m marks, live client.Object) (client.Object, *backoff.Conflict, error) {
	if err := b.Replay(now, m.state, live.GetUID()); err != nil {
		return nil, nil, err
	}
	b.SetState(m.state)
	conflict, _ := b.Delay(now, func() (backoff.Conflict, error) { // which returns no error
		manager, _ := findOtherManager(live, a.Manager, "", fieldpath.NewSet(), map[string]any{"metadata": m.ownership})
		return backoff.Conflict{Manager: manager}, nil
	})
	if conflict != nil {
		return a.asCached(Outcome{Object: live}).Object, conflict, nil
	}
	answer, err := a.newClient().patchMetadata(ctx, m.key, live, m.patch)
	if err != nil {
		return nil, nil, recordFailure(b, now, m.state, live.GetUID(), err)
	}
	b.Succeeded()
	b.Spend(now)
	return a.asCached(Outcome{Object: answer}).Object, nil, nil
}
