package reconcile

import (
	"encoding/binary"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// state is what is remembered of one parent between its reconciles. Losing it, as in a
// restart, costs time and never correctness. The work queue gives a parent to one worker at
// a time, so it needs no lock.
type state struct {
	uid        types.UID
	applied    apply.AppliedState
	patches    apply.AppliedState // of related objects
	writes     consistency.Writes
	lag        lag // of the cache behind these
	status     status.Memory
	outdated   outdated         // the children that the last answer of Sync desires otherwise than they were made
	conflicts  nameConflicts    // of the names that the last call of Sync asked for
	events     []declared.Event // the author's of the last reconcile
	eventTexts eventTexts
	metadata   *backoff.Budget               // of the parent's labels and annotations; nil while none was written
	finalizers backoff.Budget                // of the parent's list of finalizers
	deletions  map[apply.Key]*backoff.Budget // of related objects
	failures   backoff.Failures
	turns      turns            // of the children, while too many requests fail
	hotLoop    *backoff.HotLoop // nil once a reconcile has written nothing
	pastTimes  backoff.PastTimes
	hasTimer   bool            // the author asked for the next reconcile
	abandoned  <-chan struct{} // closed when an abandoned Sync has ended; nil when there is none
	isSlow     bool            // the author's code took long in the last reconcile that called it
	mayLeak    atomic.Bool     // there may be children of an earlier parent of this name
	missing    missingChildren
	reads      []atomic.Bool // of the last call of Sync; see [run.reads]
	lookedUp   bool          // children that come after others, since this process began

	taken map[apply.Key]*takenChild // the children that were taken over in this process

	isDisconnected bool // its children were orphaned, and are not taken back yet

	triggers atomic.Uint64 // how often something outside of the cluster has named the parent

	isOrphaning  atomic.Bool // the parent is deleted, and every child is to stay
	isForeground atomic.Bool // the parent is deleted, and waits for the garbage collector

	staleCount   int   // reconciles in a row that stopped half-way, since something had changed
	staleIsNamed bool  // the API server said why they did
	generation   int64 // of the parent, in the last reconcile

	spec     string // a version of the parent's spec, in the last reconcile
	specOf   string // the resource version that has it
	isEdited bool   // the spec has changed since the parent converged, or it has yet to converge for the first time

	wasSelected bool // the object was a parent in this process, or may lose its children without

	finalized bool // the author's Finalize has said so
	requests  requests
}

// retryNow ends the backoff of all writes that failed.
func (s *state) retryNow() {
	s.applied.RetryNow()
	s.patches.RetryNow()
	s.status.RetryNow()
	s.finalizers.RetryNow()
	if s.metadata != nil {
		s.metadata.RetryNow()
	}
	for _, deletion := range s.deletions {
		deletion.RetryNow()
	}
}

// forgetWrites forgets writes that were not made, since the operator only observes.
func (s *state) forgetWrites() {
	s.applied, s.patches, s.writes, s.status = apply.AppliedState{}, apply.AppliedState{}, consistency.Writes{}, status.Memory{}
	s.metadata, s.finalizers, s.hotLoop, s.finalized = nil, backoff.Budget{}, nil, false
}

// startGeneration gives all objects a full budget where the spec has changed.
func (s *state) startGeneration(generation int64) {
	if s.generation != generation {
		s.generation = generation
		s.applied.ResetBudgets()
		s.patches.ResetBudgets()
		s.status.ResetBudgets()
		s.metadata = nil
	}
}

// isBusy reports whether an abandoned call of the author's code still runs.
func (s *state) isBusy() bool {
	if s.abandoned == nil {
		return false
	}
	select {
	case <-s.abandoned:
		s.abandoned = nil
		return false
	default:
		return true
	}
}

// delay reports whether a reconcile that saw a view is delayed, and returns the time left: to
// the retry of a failed one, or by a hot loop.
func (s *state) delay(seen backoff.View, now time.Time) (time.Duration, bool) {
	if left, delayed := s.failures.Delay(seen, now); delayed {
		return left, true
	}
	return s.hotLoop.Delay(seen, now)
}

// sumVersions returns a hash of the versions of objects.
func sumVersions(children [][]client.Object) uint64 {
	var sum uint64
	for _, objects := range children {
		for _, object := range objects {
			hash := fnv.New64a()
			hash.Write([]byte(object.GetUID()))
			hash.Write([]byte(object.GetResourceVersion()))
			sum += binary.BigEndian.Uint64(hash.Sum(nil)) // in any order; an object may occur twice
		}
	}
	return sum
}

// states holds the state of every parent by its name.
type states struct {
	mu     sync.Mutex
	byName map[types.NamespacedName]*state
}

func newStates() *states {
	return &states{byName: map[types.NamespacedName]*state{}}
}

// getOrAdd returns the state of a parent, a new one if this UID has none.
func (s *states) getOrAdd(name types.NamespacedName, uid types.UID) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.byName[name]
	if !ok || found.uid != uid {
		found = &state{uid: uid}
		found.mayLeak.Store(true)
		s.byName[name] = found
	}
	return found
}

// get returns the state of a parent; nil if it has none.
func (s *states) get(name types.NamespacedName) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byName[name]
}

// forget drops the state of a parent that is gone.
func (s *states) forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byName, name)
}
