package testcontrol

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
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
	Update    declared.UpdateStrategy
	HandOver  []fieldpath.Path // fields that the child keeps when Content leaves them out
	Kept      []fieldpath.Path // fields of Content that the child keeps since it was adopted as it is
	Hash      string           // of Content, as a child carries it in Loop.HashKey
	Waits     string           // why the reconcile did not apply the child; empty if it did
	Altered   []string         // the fields that admission changed in what was written
	Conflict  bool             // another field manager keeps changing it, and the reconcile left it so
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
	KeepsAll   bool   // every child that is not desired is kept, too
	Waiting    bool   // a child waits for another, so that nothing is pruned yet
	Desired    []Desired
	Kept       []Child
	Committed  []Child // those whose functions of WhenApplied were called
	Reason     string  // of the error
	Err        error
	// Impure says how Sync answered differently when it was called again with the
	// same request, or what it changed in the request. It names fields, and no values.
	Impure string
}

// Snapshot is what a call of the author's code is shown of the children of its parent, and of related
// objects.
type Snapshot struct {
	Parent   types.UID
	Children []Child
	Related  []client.Object // of the cache; not to be changed
	// Kinds are those at which Sync has looked in the call before, so that no child of them may
	// be missing.
	Kinds []schema.GroupVersionKind
}

// Record returns the record of the reconcile, to be filled in; nil for an operator that no test runs.
func (r *Reconcile) Record() *Record {
	if r.loop == nil {
		return nil
	}
	return &r.record
}

// update changes the record while the author's code may run.
func (r *Reconcile) update(change func(*Record)) {
	r.loop.mu.Lock()
	defer r.loop.mu.Unlock()
	change(&r.record)
}

// Inspect is [Loop.Force] for a reconcile that calls Sync twice.
func (l *Loop) Inspect(name types.NamespacedName) (done func() (Reconcile, bool), ok bool) {
	l.mu.Lock()
	l.parentOf(name).isInspected = l.queue != nil
	l.mu.Unlock()
	return l.Force(name)
}

// deliverRecord gives the record of a reconcile that has ended to the test.
func (l *Loop) deliverRecord(name types.NamespacedName, r *Reconcile) {
	if r.IsStale || r.IsDelayed || r.record.UID == "" || l.control.Recorded == nil {
		return
	}
	var record Record
	r.update(func(made *Record) { record = *made })
	record.Loop, record.Parent = l, name
	record.Reason, record.Err = r.Reason, r.Err
	l.control.Recorded(record)
}
