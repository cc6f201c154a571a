// Package brake holds prunes that no change of a parent explains, once too many parents of a
// fleet have lost children in this way.
//
//	record.go   what is counted, and when the limit is reached
//	store.go    the Lease that keeps the record across restarts
//	brake.go    Brake: one controller's brake in this process
//
// Package reconcile decides which prunes count. A [Brake] writes its record before a parent
// loses its children: a process that is killed in between has counted a parent too many, and
// never one too few.
package brake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// Parent names a parent of a controller.
type Parent struct {
	Kind schema.GroupKind
	Name types.NamespacedName
}

// Brake is the brake of one controller.
type Brake struct {
	Store
	Limit     Limit
	ReleaseAs string // the incident that the command line releases; empty: none
	Now       func() time.Time
	// Report is called when the number of parents whose prunes are held changes.
	Report func(parents int)

	counts []func() (int, error) // count the parents of each kind

	turn  sync.Mutex            // of whoever reads or writes the Lease
	lease *coordinationv1.Lease // as read or written last; nil: it has to be read

	parents        int       // of the controller, when they were counted last
	parentsCounted time.Time // zero: never

	mu        sync.Mutex // of what follows; nobody waits for a request while holding it
	record    Record
	counted   map[Parent]time.Time // in this process
	waiting   map[Parent]func()    // parents whose prunes are held, and what has each reconciled
	released  map[Parent]bool      // of these, those that a person has released
	announced time.Time            // when a parent had an Event last
}

// attempts is how often a record is written that somebody else changes.
const attempts = 5

// Allow counts a parent that is to lose children without a change of its spec. It reports
// whether it may. Otherwise requeue is called once the prunes are released.
func (b *Brake) Allow(ctx context.Context, parent Parent, requeue func()) (bool, error) {
	if b.Limit.Least < 0 {
		return true, nil
	}
	if isAllowed, isKnown := b.recall(parent, requeue); isKnown {
		return isAllowed, nil
	}
	b.turn.Lock()
	defer b.turn.Unlock()
	err := errors.New("another process keeps changing it")
	for range attempts {
		if isAllowed, isKnown := b.recall(parent, requeue); isKnown { // meanwhile, or by the last attempt
			return isAllowed, nil
		}
		var isAllowed bool
		isAllowed, err = b.count(ctx, parent)
		switch {
		case err == nil && isAllowed:
			return true, nil
		case err != nil && !isOutdated(err):
			return false, fmt.Errorf("count the prune in the Lease %s: %w", b.Name, err)
		case err != nil:
			b.lease = nil
		}
	}
	return false, fmt.Errorf("count the prune in the Lease %s: %w", b.Name, err)
}

// recall is Allow for a parent that needs no count: prunes are held, or it was released or counted
// before. isKnown is false for any other.
func (b *Brake) recall(parent Parent, requeue func()) (isAllowed, isKnown bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, isCounted := b.counted[parent]
	if b.released[parent] || isCounted && b.Now().Sub(at) < b.Limit.Window {
		return true, true
	}
	if b.record.HeldAs == "" {
		return false, false
	}
	if b.waiting == nil {
		b.waiting = map[Parent]func(){}
	}
	b.waiting[parent] = requeue
	b.Report(len(b.waiting))
	return false, true
}

// count makes one attempt to write the record with one more parent.
func (b *Brake) count(ctx context.Context, parent Parent) (bool, error) {
	if b.lease == nil {
		if err := b.load(ctx); err != nil {
			return false, err
		}
	}
	now := b.Now()
	changed, isAllowed, err := b.record.count(now, b.Limit.Window, b.currentLimit)
	if err != nil || changed.equal(b.record) {
		return isAllowed, err
	}
	if err := b.write(ctx, b.lease, changed); err != nil {
		return false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.record = changed
	if !isAllowed {
		return false, nil
	}
	if b.counted == nil {
		b.counted = map[Parent]time.Time{}
	}
	maps.DeleteFunc(b.counted, func(_ Parent, at time.Time) bool { return now.Sub(at) >= b.Limit.Window })
	b.counted[parent] = now
	return true, nil
}

// AddParents adds a function that counts the controller's parents of one kind.
func (b *Brake) AddParents(count func() (int, error)) { b.counts = append(b.counts, count) }

// recount is how long a count of all parents counts, which a large fleet changes little.
const recount = time.Minute

// currentLimit returns how many parents may lose children in a window.
func (b *Brake) currentLimit() (int, error) {
	now, sum := b.Now(), 0
	if !b.parentsCounted.IsZero() && now.Sub(b.parentsCounted) < recount {
		return b.Limit.of(b.parents), nil
	}
	for _, count := range b.counts {
		parents, err := count()
		if err != nil {
			return 0, err
		}
		sum += parents
	}
	b.parents, b.parentsCounted = sum, now
	return b.Limit.of(sum), nil
}

// load reads the record, and releases what it holds if a person has said so. It writes a Lease that
// was deleted again.
func (b *Brake) load(ctx context.Context) error {
	lease, stored, err := b.read(ctx)
	if err != nil {
		return err
	}
	record := stored
	if lease.ResourceVersion == "" {
		record = b.record
	}
	if heldAs := record.HeldAs; heldAs != "" && (lease.Annotations[b.ReleaseKey] == heldAs || b.ReleaseAs == heldAs) {
		record = record.release(b.Now())
	}
	if !record.equal(stored) {
		if err := b.write(ctx, lease, record); err != nil {
			return err
		}
	}
	b.lease = lease
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.record = record; record.HeldAs == "" {
		b.releaseWaiting(ctx)
	}
	return nil
}

// releaseWaiting has the parents reconciled whose prunes were held. The caller holds the lock.
func (b *Brake) releaseWaiting(ctx context.Context) {
	if len(b.waiting) == 0 {
		return
	}
	log.FromContext(ctx).Info("released prunes", "parents", len(b.waiting))
	if b.released == nil {
		b.released = map[Parent]bool{}
	}
	requeues := b.waiting
	b.waiting, b.announced = nil, time.Time{}
	b.Report(0)
	for parent, requeue := range requeues {
		b.released[parent] = true
		requeue()
	}
}

// Forget records that a parent has no prunes that count, or has made them.
func (b *Brake) Forget(parent Parent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.released, parent)
	if _, ok := b.waiting[parent]; ok {
		delete(b.waiting, parent)
		b.Report(len(b.waiting))
	}
}

// ReleaseCommand returns the command by which a person releases what is held.
func (b *Brake) ReleaseCommand() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.releaseCommand(b.record.HeldAs)
}

// IsEventDue reports whether a parent is to have an Event about the brake now: the first one
// whose prunes are held, and one each time that Events expire.
func (b *Brake) IsEventDue() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.Now(); b.announced.IsZero() || now.Sub(b.announced) >= backoff.RepeatEvent {
		b.announced = now
		return true
	}
	return false
}

// poll is how often the Lease is read while prunes are held.
const poll = 2 * time.Second

// Start looks for the release of what is held, until the context ends. It makes no request
// while nothing is held.
func (b *Brake) Start(ctx context.Context) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := b.lookForRelease(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "cannot see whether prunes were released", "lease", b.Name)
		}
	}
}

// lookForRelease reads the Lease if prunes are held, and has a parent reconciled if its Event is
// due.
func (b *Brake) lookForRelease(ctx context.Context) error {
	if waiting, _ := b.status(); waiting == 0 {
		return nil
	}
	b.turn.Lock()
	defer b.turn.Unlock()
	if err := b.load(ctx); err != nil && !isOutdated(err) {
		return err
	}
	if _, requeue := b.status(); requeue != nil {
		requeue()
	}
	return nil
}

// status returns the number of parents whose prunes are held, and what has one of them reconciled
// if its Event is due; nil if it is not.
func (b *Brake) status() (waiting int, requeue func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Now().Sub(b.announced) < backoff.RepeatEvent {
		return len(b.waiting), nil
	}
	for _, requeue := range b.waiting {
		return len(b.waiting), requeue
	}
	return 0, nil
}
