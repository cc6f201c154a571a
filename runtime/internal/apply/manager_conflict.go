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
)

// budget is the write budget of one child.
type budget struct {
	backoff.Budget
	replaced types.UID            // of the child that was replaced last
	written  map[string]time.Time // desired states that were changed to lately
}

// budgetOf returns the budget of a child, and makes one if there is none.
func (m *Memo) budgetOf(key Key) *budget {
	if m.budgets == nil {
		m.budgets = map[Key]*budget{}
	}
	if m.budgets[key] == nil {
		m.budgets[key] = new(budget)
	}
	return m.budgets[key]
}

// returnsTo reports whether a desired state was written within the last minute, and then
// another one.
func (m *Memo) returnsTo(now time.Time, d Desired) bool {
	b, last := m.budgets[d.Key()], m.last(d.Key())
	if b == nil || last == nil || last.desired == d.state {
		return false
	}
	at, written := b.written[d.state]
	return written && now.Sub(at) < backoff.ReturnsWithin
}

// FollowSpec has every child start with a full budget, since the parent's spec has changed.
func (m *Memo) FollowSpec() { m.budgets = nil }

// attempt brings a child to its desired state by do, unless a write of it failed before
// and is not due. The error is a [backoff.Failed] then, and where do fails.
func (a *Applier) attempt(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object,
	do func(*Applier, context.Context, time.Time, *Memo, Desired, client.Object) (Outcome, error),
) (Outcome, error) {
	key, uid, before := d.Key(), uidOf(live), ""
	if b := memo.budgets[key]; b != nil {
		if err := b.Replay(now, d.state, uid); err != nil {
			return Outcome{}, err
		}
	}
	if last := memo.last(key); last != nil {
		before = last.desired
	}
	outcome, err := do(a, ctx, now, memo, d, live)
	if err = hideSecrets(err, d, live); err != nil {
		return outcome, memo.fail(now, key, d.state, uid, err)
	}
	wrote := outcome.Action == Created || outcome.Action == Updated || outcome.Action == Adopted
	if wrote && before != "" && before != d.state {
		b := memo.budgetOf(key)
		if b.SetState(d.state); b.written == nil {
			b.written = map[string]time.Time{}
		}
		b.written[d.state] = now
	}
	if b := memo.budgets[key]; b != nil {
		b.Succeeded()
	}
	return outcome, nil
}

// fail notes that a write failed. A conflict is [ErrStale] until there were too many.
func (m *Memo) fail(now time.Time, key Key, state string, uid types.UID, err error) error {
	if conflict, ok := errors.AsType[errConflict](err); ok {
		if failed := m.budgetOf(key).Conflicted(now, state, uid, conflict.err); failed != nil {
			return failed
		}
		return err
	}
	if errors.As(err, new(ErrStale)) {
		return err
	}
	return m.budgetOf(key).Fail(now, state, uid, err)
}

// repeat brings a child by repair to a desired state that it had before, or holds back if
// that was of no use. live is nil where the child is missing.
func (a *Applier) repeat(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object,
	repair func(context.Context, time.Time, *Memo, Desired, client.Object) (Outcome, error),
) (Outcome, error) {
	b, uid, returns := memo.budgetOf(d.Key()), uidOf(live), memo.returnsTo(now, d)
	if returns {
		b.ReturnTo(d.state)
		b.written[d.state] = now // also while it waits
	}
	b.SetState(d.state)
	replacing := live != nil && b.replaced == uid
	isNews := live != nil && !replacing && !returns && !b.IsDelayed() // so that a drift counts once
	if !replacing {
		held, err := b.Delay(now, func() (backoff.Conflict, error) {
			if returns {
				return backoff.Conflict{Returns: true}, nil
			}
			return a.explain(ctx, d, live)
		})
		if held != nil || err != nil {
			return Outcome{Action: Unchanged, Object: live, Drift: held != nil && isNews, Conflict: held}, err
		}
	}
	before := b.Repeated()
	outcome, err := repair(ctx, now, memo, d, live)
	if err != nil {
		return outcome, err
	}
	wrote := live == nil || outcome.Action != Unchanged
	if wrote && !replacing && b.Repeated() == before {
		b.Spend(now)
	}
	if outcome.Action == Replace {
		b.replaced = uid
	}
	outcome.Drift = outcome.Drift || isNews
	return outcome, nil
}

// explain names who makes a repetition necessary. The cache holds no managers but ours,
// so the child is read live.
func (a *Applier) explain(ctx context.Context, d Desired, observed client.Object) (backoff.Conflict, error) {
	live := a.New()
	err := a.Live.Get(ctx, d.Name, live)
	switch {
	case apierrors.IsNotFound(err) && observed == nil:
		return backoff.Conflict{Deleted: true}, nil
	case apierrors.IsNotFound(err), err == nil && observed != nil && live.GetUID() != observed.GetUID():
		return backoff.Conflict{}, ErrStale{d.Key()}
	case err != nil:
		return backoff.Conflict{}, err
	}
	manager, paths := otherManagerIn(live, a.Manager, "", a.look(d, live).set, d.complete("", ""), d.fields())
	return backoff.Conflict{Manager: manager, Paths: paths}, nil
}

// recreates reports whether a child is created again for the desired state that it had
// when somebody else deleted it, or took it out of sight.
func (m *Memo) recreates(d Desired) bool {
	last, b := m.last(d.Key()), m.budgets[d.Key()]
	return last != nil && last.desired == d.state && !last.removed && (b == nil || b.replaced != last.uid)
}

// RetryNow has these children, or all if none is named, not wait for a write that failed.
func (m *Memo) RetryNow(keys ...Key) {
	for key, b := range m.budgets {
		if len(keys) == 0 || slices.Contains(keys, key) {
			b.RetryNow()
		}
	}
}

// deleted is the desired state of a child that is to go.
const deleted = "deleted"

// Delete has remove delete a child, unless that failed before and is not due.
func (m *Memo) Delete(now time.Time, key Key, live client.Object, remove func() error) error {
	if b := m.budgets[key]; b != nil {
		if err := b.Replay(now, deleted, live.GetUID()); err != nil {
			return err
		}
	}
	if err := remove(); err != nil {
		return m.fail(now, key, deleted, live.GetUID(), err)
	}
	if b := m.budgets[key]; b != nil && b.State() == deleted {
		delete(m.budgets, key)
	}
	return nil
}

// keepBudgets forgets the budgets of children that are neither in keys nor to be deleted,
// and those that have nothing to tell.
func (m *Memo) keepBudgets(now time.Time, keys map[Key]bool) {
	for key, b := range m.budgets {
		maps.DeleteFunc(b.written, func(_ string, at time.Time) bool { return now.Sub(at) >= backoff.ReturnsWithin })
		if !keys[key] && b.State() != deleted || b.IsIdle(now) && len(b.written) == 0 {
			delete(m.budgets, key)
		}
	}
}

func uidOf(live client.Object) types.UID {
	if live == nil {
		return ""
	}
	return live.GetUID()
}
