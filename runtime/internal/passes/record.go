package passes

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Child names a child.
type Child struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
}

// Desired is a child that a reconcile desired, as a test compares it with what the
// API server has.
type Desired struct {
	Child
	Content   map[string]any // all fields that are set, but for the hash
	Ownership map[string]any // of these, the fields that make it the parent's child
	Update    string         // the update strategy
	Hash      string         // of Content, as a child carries it in Loop.HashKey
	Waits     string         // why the reconcile did not apply the child; empty if it did
	Altered   []string       // the fields that admission changed in what was written
	Conflict  bool           // another field manager keeps changing it, and the reconcile left it so
}

// Record is what a reconcile knew of its parent and desired of the children.
type Record struct {
	Loop       *Loop
	Parent     types.NamespacedName
	UID        types.UID
	Generation int64
	Suspended  string // Paused or Disconnected; empty: neither
	Finalizing bool   // the parent is to go
	Complete   bool   // Desired and Kept are what Sync returned
	Waiting    bool   // a child waits for another, so that nothing is pruned yet
	Desired    []Desired
	Kept       []Child
	Reason     string // of the error
	Err        error
	// Impure says how Sync answered differently when it was called again with the
	// same request, or what it changed in the request. It names fields, and no values.
	Impure string
}

// Record returns the record of the reconcile, to be filled in; nil where no test
// looks on.
func (p *Pass) Record() *Record {
	if p == nil {
		return nil
	}
	return &p.record
}

// Inspected reports whether Sync is to be called twice, to compare its answers.
func (p *Pass) Inspected() bool { return p != nil && p.inspected }

// Differ compares two answers of Sync to the same request: it returns the fields
// that differ, without their values.
func (p *Pass) Differ(first, second any) string { return p.loop.control.Differ(first, second) }

// Inspect is [Loop.Force] for a reconcile that calls Sync twice.
func (l *Loop) Inspect(name types.NamespacedName) (done func() (Pass, bool), ok bool) {
	l.mu.Lock()
	l.of(name).inspected = l.queue != nil
	l.mu.Unlock()
	return l.Force(name)
}

// record hands the record of a reconcile that came to an end to the test.
func (l *Loop) record(name types.NamespacedName, pass *Pass) {
	if pass.Stale || pass.Waits || pass.record.UID == "" || l.control.Recorded == nil {
		return
	}
	record := pass.record
	record.Loop, record.Parent = l, name
	record.Reason, record.Err = pass.Reason, pass.Err
	l.control.Recorded(record)
}
