package instance

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// objectName names an object of any version.
type objectName struct {
	kind schema.GroupKind
	types.NamespacedName
}

// changes are what the operator of a test does, for those that wait for it: objects that its watches have delivered, answers to
// its requests, ends of reconciles. It also knows which objects a test reads while it waits, because only they have to change.
type changes struct {
	mu        sync.Mutex
	count     int                 // of all changes
	delivered int                 // of objects that watches have delivered
	latest    map[objectName]int  // count at the last change of an object
	next      chan struct{}       // closed at the next change
	reads     map[objectName]bool // by the check that runs; nil: none does
}

// note records that something has happened to no object.
func (c *changes) note() { c.noteObject(schema.GroupKind{}, types.NamespacedName{}) }

// noteObject records that a watch has delivered an object.
func (c *changes) noteObject(kind schema.GroupKind, name types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if kind.Kind != "" {
		c.delivered++
		if c.latest == nil {
			c.latest = map[objectName]int{}
		}
		c.latest[objectName{kind, name}] = c.count
	}
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// noteRead records that the test reads an object.
func (c *changes) noteRead(kind schema.GroupKind, name types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads != nil {
		c.reads[objectName{kind, name}] = true
	}
}

// beginCheck returns the number of changes so far, and notes from now on which objects are read.
func (c *changes) beginCheck() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads = map[objectName]bool{}
	return c.count
}

// endCheck returns the objects that were read since beginCheck.
func (c *changes) endCheck() (reads []objectName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reads = slices.Collect(maps.Keys(c.reads))
	c.reads = nil
	return reads
}

// following returns whether one of some objects has changed since a number of changes, or anything if there are none, and a
// channel that is closed at the next change.
func (c *changes) following(count int, reads []objectName) (changed bool, next <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed = len(reads) == 0 && c.count > count || slices.ContainsFunc(reads, func(name objectName) bool { return c.latest[name] > count })
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return changed, c.next
}

// await waits until one of some objects has changed since a number of changes, or anything if there are none. It reports
// false if that takes longer than a time.
func (c *changes) await(count int, reads []objectName, within time.Duration) bool {
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	for {
		changed, next := c.following(count, reads)
		if changed {
			return true
		}
		select {
		case <-next:
		case <-timeout.C:
			return false
		}
	}
}

// poll calls check until it is done or the time is over: again when one of the objects has changed that it has read by Get,
// or when the operator has done anything if there are none, and at intervals that grow from the shortest to the longest. It
// reports whether check was done.
func (c *changes) poll(until time.Time, shortest, longest time.Duration, check func() (done bool)) bool {
	for pause := shortest; ; pause = min(2*pause, longest) {
		begun, count := time.Now(), c.beginCheck()
		done := check()
		reads := c.endCheck()
		if done || time.Now().After(until) {
			return done
		}
		if c.await(count, reads, pause) {
			time.Sleep(time.Until(begun.Add(shortest)))
			pause = shortest / 2 // more may follow
		}
	}
}

// AwaitChange waits until the operator does something, for LongestInterval at most and for the shortest pause at least.
func (o *Operator) AwaitChange(shortest time.Duration) {
	count := o.changes.beginCheck()
	time.Sleep(shortest)
	o.changes.endCheck()
	o.changes.await(count, nil, LongestInterval-shortest)
}

// Moment is a state of the cluster, as far as the operator and the test have a part in it. Two equal ones are of the same
// state: nothing was written, and nothing delivered to the operator.
type Moment struct {
	running            *process
	written, delivered int
}

// Moment returns the present one. It is not valid while no operator runs to which changes are delivered.
func (o *Operator) Moment() (now Moment, isValid bool) {
	running := o.RunningProcess()
	o.changes.mu.Lock()
	defer o.changes.mu.Unlock()
	return Moment{running, o.Written.Count(), o.changes.delivered}, running != nil
}
