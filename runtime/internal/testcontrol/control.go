// Package testcontrol lets a test see the reconciles of an operator, order one, and move the
// operator's clock. An operator that no test runs has no [Control].
package testcontrol

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Control lets a test control an operator.
type Control struct {
	Clock  *Clock
	Author Author // nil: what Sync says is desired
	// Recorded is called with what each reconcile knew and desired, once it has ended
	// and unless its view was out of date. Nil: nobody is told.
	Recorded func(Record)
	// Shown is called with each snapshot that the author's code gets. Nil: nobody is told.
	Shown func(Snapshot)
	// Changed is called when a watch has delivered an object, and without one when a reconcile has ended. Nil: nobody is told.
	Changed func(schema.GroupKind, types.NamespacedName)
	// Differ compares two answers of Sync to the same request: it returns the fields that differ,
	// without their values.
	Differ func(first, second any) string

	mu         sync.Mutex
	isComplete bool // all loops were added
	loops      []*Loop
	watches    []*Watch
	openNow    func() bool
}

// Now returns the time of the operator's clock.
func (c *Control) Now() time.Time {
	if c == nil {
		return time.Now()
	}
	return c.Clock.Now()
}

// noteChange tells the test that something has happened for which it may wait.
func (c *Control) noteChange(kind schema.GroupKind, name types.NamespacedName) {
	if c.Changed != nil {
		c.Changed(kind, name)
	}
}

// Complete records that all loops were added.
func (c *Control) Complete() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isComplete = true
}

// SetOpening sets a function that opens the watches which the operator would open a little later, and
// reports whether all are open.
func (c *Control) SetOpening(openNow func() bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openNow = openNow
}

// OpenWatches opens the watches which the operator would open a little later. It reports whether all
// are open, so that no change from now on is missed.
func (c *Control) OpenWatches() bool {
	c.mu.Lock()
	openNow := c.openNow
	c.mu.Unlock()
	return openNow == nil || openNow()
}

// Started reports whether all loops were added and take orders.
func (c *Control) Started() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isComplete && !slices.ContainsFunc(c.loops, func(l *Loop) bool { return !l.Started() })
}

// Loops returns the loops over all kinds of parents.
func (c *Control) Loops() []*Loop {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.loops)
}

// Clock goes like any other until it is stopped, and can be put forward.
type Clock struct {
	ahead     atomic.Int64
	stoppedAt atomic.Pointer[time.Time]
}

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	now := time.Now()
	if stopped := c.stoppedAt.Load(); stopped != nil {
		now = *stopped
	}
	return now.Add(time.Duration(c.ahead.Load()))
}

// Stop stops the clock.
func (c *Clock) Stop() {
	now := time.Now()
	c.stoppedAt.CompareAndSwap(nil, &now)
}

// Advance puts the clock forward.
func (c *Clock) Advance(by time.Duration) { c.ahead.Add(int64(by)) }
