package backoff

import "time"

// Settings say how many repetitions are made at once, and how long each further one waits
// after the one before: First, then twice as long each time, up to Longest.
type Settings struct {
	Free           int
	First, Longest time.Duration
	// Calm is how long an object has to keep its state for the count to start at zero, if
	// that is longer than the last wait.
	Calm time.Duration
}

// The settings of everything that an operator repeats.
var (
	// Writes is for the same desired state, written again to the same object.
	Writes = Settings{Free: 2, First: 10 * time.Second, Longest: 5 * time.Minute, Calm: time.Minute}
	// Retries is for errors that a second attempt may mend: the API server's (5xx, 429,
	// timeouts), and those of Sync. Also the free repetitions of a refused write are
	// this far apart.
	Retries = Settings{First: 200 * time.Millisecond, Longest: 5 * time.Minute}
	// Conflicts is for attempts that meet a conflict, which a newer cache mends: so many
	// follow each other, 0.1 s apart; the next one is an error like a refusal.
	Conflicts = Settings{Free: 9}
	// CacheWaits is for reconciles that wait until a cache shows what the operator has written. The
	// event that is missing usually ends the wait.
	CacheWaits = Settings{First: Stale, Longest: 5 * time.Second}
	// HotLoops is for answers of Sync that nobody else's change explains. A Sync that
	// makes its children one by one, each from the one before, has so many steps.
	HotLoops = Settings{Free: 50, First: 10 * time.Second, Longest: 5 * time.Minute}
)

const (
	// Stale is the wait after a reconcile whose view of the cluster proved to be out of date.
	// The event that was missing usually causes a reconcile before that.
	Stale = 100 * time.Millisecond
	// CacheLag is how long the cache may lack a write before the API server is asked what became
	// of the object, and then asked again.
	CacheLag = 5 * time.Second
	// ShownLag is how long a cache may lack a write before that is reported.
	ShownLag = time.Minute
	// CallTimeout is how long Sync or Finalize may take, unless the spec file says otherwise.
	CallTimeout = 2 * time.Minute
	// SlowCall is how long a call of the author's code may take before it counts as slow. Slow calls
	// have half of the workers at most.
	SlowCall = 10 * time.Second
	// CallGrace is how long the runtime waits for Sync to return after its context has ended,
	// and how often it looks whether an abandoned call has returned.
	CallGrace = time.Second
	// RelatedAttempts is how often the author's Related is called before a parent that is
	// deleted is finalized without its answer.
	RelatedAttempts = 5
	// NewNames is how long no parent has to name another related object before those named are
	// watched. Until then each is read live.
	NewNames = time.Second
	// NewNamesLongest is after how long related objects are watched although new ones are named all
	// the time.
	NewNamesLongest = 5 * time.Second
	// Altered is how long values that admission has altered, or fields of a status that the CRD has
	// dropped, stay before they are written again, since what does that may have been removed.
	Altered = time.Hour
	// Adoption is how long the new object of a recreated child may take to adopt the dependents of
	// the old one, unless its status says earlier that it has.
	Adoption = 30 * time.Second
	// Recreation is for how long after its deletion a parent waits for a child that cannot be created
	// again to adopt dependents.
	Recreation = 5 * time.Minute
	// RepeatEvent is how long the same error or conflict causes no other Event, which is also
	// how long an API server keeps Events.
	RepeatEvent = time.Hour
	// MaxEvents is how many different errors cause an Event in that time.
	MaxEvents = 10
	// PruneWindow is the time in which the parents are counted that lose children without a
	// change of their spec.
	PruneWindow = 10 * time.Minute
	// Spread is by how much a retry may be later by chance, so that parents which failed
	// together do not come back together.
	Spread = 0.2
	// ReturnWindow is for how long a desired state that was written counts as written
	// before, when Sync returns to it.
	ReturnWindow = time.Minute
	// ShownAttempt is the attempt in a row at which a transient error is shown in the
	// status.
	ShownAttempt = 3
	// ShownAfter is how long after the first attempt it is shown in any case.
	ShownAfter = 10 * time.Second
)

// Wait returns how long the next repetition waits after so many; 0 while they are free.
func (s Settings) Wait(repetitions int) time.Duration {
	if repetitions < s.Free {
		return 0
	}
	wait := s.First
	for i := s.Free; i < repetitions && wait < s.Longest; i++ {
		wait *= 2
	}
	return min(wait, s.Longest)
}
