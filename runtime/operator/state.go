package operator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
)

// state is what is remembered of one parent between its passes. Losing it, as
// in a restart, costs time and never correctness. The work queue gives a
// parent to one worker at a time, so it needs no lock.
type state struct {
	uid        types.UID
	memo       apply.Memo
	writes     consistency.Writes
	events     []Event   // those of the last pass
	vain       vainPatch // of the status
	said       said
	status     statusWrites
	metadata   *backoff.Budget // of the parent's own labels and annotations; nil while none was written
	finalizers backoff.Budget  // of the parent's list of finalizers
	failure    failure
	hotLoop    *hotLoop        // nil once a pass has written nothing
	lingers    <-chan struct{} // closed when a Sync that was given up has ended; nil when there is none
	strays     atomic.Bool     // there may be children of an earlier parent of this name

	conflicts  int   // passes in a row that stopped half-way, since something had changed
	generation int64 // of the parent, in the last pass

	finalized bool   // the author's Finalize has said so
	handled   string // the token of the last reconcile that a user asked for
}

// failure is what the last pass saw, which failed, and when to try again.
type failure struct {
	count   int
	since   int       // of count, those since something changed last
	input   uint64    // what the pass saw
	version string    // of the parent, after the pass
	retry   time.Time // zero: not before something changes
	taken   bool      // a name that an object has which no pass sees
}

// fail records a failed pass and returns how long to wait. An error that the author
// calls terminal waits for a change, or for the time that the author asked for
// beside it. A write that failed has a time of its own, and holds up nothing else.
func (s *state) fail(err error, requeue time.Duration, input uint64, version string, now time.Time) time.Duration {
	count := s.failure.count + 1
	s.failure = failure{count: count, since: s.failure.since + 1, input: input, version: version, taken: errors.As(err, new(apply.ErrTaken))}
	if isTerminal(err) {
		if requeue > 0 && !errors.As(err, new(errGaveUp)) {
			s.failure.retry = now.Add(requeue)
			return requeue
		}
		return 0
	}
	delay := backoff.Retries.Wait(count - 1)
	failed, alone := backoff.FailedIn(err)
	if alone {
		delay = backoff.Retries.Longest
	}
	for _, write := range failed {
		delay = min(delay, max(write.Retry.Sub(now), time.Millisecond))
	}
	if alone && requeue > 0 {
		delay = min(delay, requeue)
	}
	delay = wait.Jitter(delay, backoff.Spread)
	s.failure.retry = now.Add(delay)
	return delay
}

// retryNow has nothing wait for a write that failed.
func (s *state) retryNow() {
	s.memo.RetryNow()
	for _, budget := range []*backoff.Budget{s.metadata, s.status.refused, &s.finalizers} {
		if budget != nil {
			budget.RetryNow()
		}
	}
}

// followSpec gives all objects a full budget where the spec has changed.
func (p *pass) followSpec() {
	if generation := p.parent.GetGeneration(); p.state.generation != generation {
		p.state.generation = generation
		p.state.memo.FollowSpec()
		p.state.status.conflict, p.state.status.refused, p.state.metadata = nil, nil, nil
	}
}

// errGaveUp is an error that is not retried any more.
type errGaveUp struct {
	after int // attempts
	err   error
}

func (e errGaveUp) Unwrap() error { return e.err }

func (e errGaveUp) Error() string {
	return fmt.Sprintf("gave up after %d attempts and waits for a change: %s", e.after, strings.TrimPrefix(e.err.Error(), "terminal error: "))
}

// giveUp makes an error the last one if this attempt was. Attempts count from
// the last change of what passes see; limit 0 sets none.
func (s *state) giveUp(err error, limit int) error {
	if err == nil || limit == 0 || s.failure.since+1 < limit || isTerminal(err) {
		return err
	}
	return errGaveUp{limit, err}
}

// busy tells whether a Sync that was given up is still running.
func (s *state) busy() bool {
	if s.lingers == nil {
		return false
	}
	select {
	case <-s.lingers:
		s.lingers = nil
		return false
	default:
		return true
	}
}

// waits tells whether the pass would only repeat the last one, which failed,
// before its time: the event that caused it brought nothing new. Where a name
// was taken, the event may be that of the object that had it.
func (s *state) waits(parent client.Object, input uint64, now time.Time) (time.Duration, bool) {
	if s.failure.version != parent.GetResourceVersion() || s.failure.input != input {
		s.failure.since = 0
		return 0, false
	}
	if s.failure.count == 0 || s.failure.taken {
		return 0, false
	}
	if s.failure.retry.IsZero() {
		return 0, true
	}
	left := s.failure.retry.Sub(now)
	return left, left > 0
}

// fingerprint sums up which children a pass saw, in which versions.
func fingerprint(children [][]client.Object) uint64 {
	var sum uint64
	for _, objects := range children {
		for _, object := range objects {
			hash := fnv.New64a()
			hash.Write([]byte(object.GetUID()))
			hash.Write([]byte(object.GetResourceVersion()))
			sum += binary.BigEndian.Uint64(hash.Sum(nil)) // in any order, and an object may be there twice
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

// of returns the state of a parent, new if this UID has none.
func (s *states) of(name types.NamespacedName, uid types.UID) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.byName[name]
	if !ok || found.uid != uid {
		found = &state{uid: uid}
		found.strays.Store(true)
		s.byName[name] = found
	}
	return found
}

// knows tells whether a parent has a state.
func (s *states) knows(name types.NamespacedName) bool { return s.get(name) != nil }

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
