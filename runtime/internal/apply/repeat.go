package apply

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// budget is the write budget of one child.
type budget struct {
	backoff.Budget
	deletion backoff.Budget       // of deletions that failed
	records  backoff.Budget       // of its metadata, while the rest is refused or waits
	replaced types.UID            // of the child that was recreated last
	written  map[string]time.Time // when each recent desired state was written, by its digest
}

// budgetOf returns the budget of a child. It makes one if there is none.
func (m *AppliedState) budgetOf(key Key) *budget {
	if m.budgets == nil {
		m.budgets = map[Key]*budget{}
	}
	if m.budgets[key] == nil {
		m.budgets[key] = new(budget)
	}
	return m.budgets[key]
}

// returnsToEarlier reports whether a desired state was written within the last minute, and then
// another one.
func (m *AppliedState) returnsToEarlier(now time.Time, d Desired) bool {
	b, last := m.budgets[d.Key()], m.child(d.Key())
	if b == nil || last == nil || last.digest == d.digest {
		return false
	}
	at, written := b.written[d.digest]
	return written && now.Sub(at) < backoff.ReturnWindow
}

// ResetBudgets gives every child a full budget, after a change of the parent's spec.
func (m *AppliedState) ResetBudgets() { m.budgets = nil }

// recordSuccess records a write that succeeded. before is the digest of the desired state that the
// child had until then.
func (m *AppliedState) recordSuccess(now time.Time, d Desired, before string, action Action) {
	wrote := action == Created || action == Updated || action == Adopted
	if wrote && before != "" && before != d.digest {
		b := m.budgetOf(d.Key())
		if b.SetState(d.digest); b.written == nil {
			b.written = map[string]time.Time{}
		}
		b.written[d.digest] = now
	}
	if b := m.budgets[d.Key()]; b != nil && action != NeedsRecreation { // which writes nothing
		b.Succeeded()
	}
}

// recordFailure records a write that failed. It returns ErrStale for a conflict, until there were
// too many of them, and a [backoff.Failed] otherwise.
func recordFailure(b *backoff.Budget, now time.Time, state string, uid types.UID, err error) error {
	if conflict, ok := errors.AsType[errConflict](err); ok {
		if failed := b.Conflicted(now, state, uid, conflict.err); failed != nil {
			return failed
		}
		return err
	}
	if errors.As(err, new(ErrStale)) {
		return err
	}
	return b.Fail(now, state, uid, err)
}

// repeat writes a desired state again that the child had before. It postpones the write if earlier
// repetitions did not last. live is nil if there is no child.
func (c *childApply) repeat(ctx context.Context, live client.Object, write func(context.Context, client.Object) (Outcome, error)) (Outcome, error) {
	d, now := c.desired, c.now
	b, uid, returns := c.state.budgetOf(d.Key()), uidOf(live), c.state.returnsToEarlier(now, d)
	if returns {
		b.ReturnTo(d.digest)
		b.written[d.digest] = now // also while the write is postponed
	}
	b.SetState(d.digest)
	recreating := live != nil && b.replaced == uid
	isNew := live != nil && !recreating && !returns && !b.IsDelayed() // one drift is reported once
	if !recreating {
		conflict, err := b.Delay(now, func() (backoff.Conflict, error) {
			if returns {
				return backoff.Conflict{Returns: true}, nil
			}
			return c.client.findConflict(ctx, d, live)
		})
		if conflict != nil || err != nil {
			return Outcome{Action: Unchanged, Object: live, Drift: conflict != nil && isNew, Conflict: conflict}, err
		}
	}
	before := b.Repeated()
	outcome, err := write(ctx, live)
	if err != nil {
		return outcome, err
	}
	wrote := live == nil || outcome.Action != Unchanged
	if wrote && !recreating && b.Repeated() == before {
		b.Spend(now)
	}
	if outcome.Action == NeedsRecreation {
		b.replaced = uid
	}
	outcome.Drift = outcome.Drift || isNew
	return outcome, nil
}

// findConflict returns who makes a repeated write necessary. It reads the child from the API
// server, because the cache holds no other field managers.
func (c childClient) findConflict(ctx context.Context, d Desired, observed client.Object) (backoff.Conflict, error) {
	live, err := c.readLive(ctx, d.Name)
	switch {
	case apierrors.IsNotFound(err) && observed == nil:
		return backoff.Conflict{Deleted: !d.HasExpired, Expired: d.HasExpired}, nil
	case apierrors.IsNotFound(err), err == nil && observed != nil && live.GetUID() != observed.GetUID():
		return backoff.Conflict{}, ErrStale{d.Key()}
	case err != nil:
		return backoff.Conflict{}, err
	}
	entry, _ := ownEntry(live, c.manager)
	manager, paths := findOtherManager(live, c.manager, "", managedfields.Parse(entry), d.fieldsWithHash())
	return backoff.Conflict{Manager: manager, Paths: paths}, nil
}

// isRepeatedCreate reports whether the child had this desired state when someone else deleted it
// or removed it from the cache.
func (m *AppliedState) isRepeatedCreate(d Desired) bool {
	last, b := m.child(d.Key()), m.budgets[d.Key()]
	return last != nil && last.digest == d.digest && !last.removed && (b == nil || b.replaced != last.uid)
}

// RetryNow makes the failed writes of these children due. Without keys it does so for all children.
func (m *AppliedState) RetryNow(keys ...Key) {
	for key, b := range m.budgets {
		if len(keys) == 0 || slices.Contains(keys, key) {
			b.RetryNow()
			b.deletion.RetryNow()
			b.records.RetryNow()
		}
	}
}

// DelayRecreation counts a recreation that Sync wants of a child which may be as desired, and
// returns why it is postponed; nil if it is due.
func (m *AppliedState) DelayRecreation(now time.Time, d Desired, live client.Object) *backoff.Conflict {
	b := m.budgetOf(d.Key())
	b.SetState(d.digest)
	if b.replaced == live.GetUID() { // its deletion was due before
		return nil
	}
	conflict, _ := b.Delay(now, func() (backoff.Conflict, error) { return backoff.Conflict{Recreates: true}, nil })
	if conflict == nil {
		b.Spend(now)
		b.replaced = live.GetUID()
	}
	return conflict
}

// deleted stands for the desired state of a child that is to be deleted.
const deleted = "deleted"

// Delete calls remove, which deletes a child. If that failed before, it returns the same error until
// the backoff of the child has passed.
func (m *AppliedState) Delete(now time.Time, key Key, live client.Object, remove func() error) error {
	if b := m.budgets[key]; b != nil {
		if err := b.deletion.Replay(now, deleted, live.GetUID()); err != nil {
			return err
		}
	}
	if err := remove(); err != nil {
		return recordFailure(&m.budgetOf(key).deletion, now, deleted, live.GetUID(), err)
	}
	if b := m.budgets[key]; b != nil {
		b.deletion = backoff.Budget{}
	}
	return nil
}

// HasFailedDeletion reports whether the last deletion of a child has failed.
func (m *AppliedState) HasFailedDeletion(key Key) bool {
	b := m.budgets[key]
	return b != nil && b.deletion.State() == deleted
}

// Refused returns why the last write of each child was refused, if it was.
func (m *AppliedState) Refused() map[Key]error {
	var refused map[Key]error
	for key, b := range m.budgets {
		err := b.Refusal()
		if err == nil {
			continue
		}
		if refused == nil {
			refused = map[Key]error{}
		}
		refused[key] = err
	}
	return refused
}

// dropIdleBudgets drops the budgets of children that are neither in keys nor being deleted, and
// budgets that equal a full one. It keeps those of refused writes for a while: an author who no
// longer desires a child because it was refused must not desire it again at once.
func (m *AppliedState) dropIdleBudgets(now time.Time, keys map[Key]bool) {
	for key, b := range m.budgets {
		maps.DeleteFunc(b.written, func(_ string, at time.Time) bool { return now.Sub(at) >= backoff.ReturnWindow })
		isFull := b.IsIdle(now) && b.deletion.IsIdle(now) && b.records.IsIdle(now) && len(b.written) == 0
		if !keys[key] && b.deletion.State() != deleted && b.Refusal() == nil || isFull {
			delete(m.budgets, key)
		}
	}
}
